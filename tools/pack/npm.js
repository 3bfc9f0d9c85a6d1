#!/usr/bin/env node
// Starts the program in the package of this platform, which npm installed beside this one.
"use strict";
const { spawn } = require("node:child_process");
const name = `hindsql-${process.platform}-${process.arch}`;
const program = process.platform === "win32" ? "hindsql.exe" : "hindsql";

function find() {
  try {
    return require.resolve(`${name}/bin/${program}`);
  } catch {
    const musl = process.platform === "linux" && !process.report.getReport().header.glibcVersionRuntime;
    console.error(`hindsql: no program for ${process.platform} on ${process.arch}${musl ? " with musl" : ""}: ` +
      `the package ${name} is not installed; npm leaves it out with --omit=optional, and where there is none`);
    process.exit(1);
  }
}

const child = spawn(find(), process.argv.slice(2), { stdio: "inherit", env: { ...process.env, HINDSQL_PACKAGE: "npm" } });
// The terminal sends Ctrl-C to both: the program decides what it means.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => signal !== "SIGINT" && child.kill(signal));
child.on("error", (err) => {
  console.error(`hindsql: ${err.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (!signal) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
