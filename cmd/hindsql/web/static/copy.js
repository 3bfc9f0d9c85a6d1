// Buttons that copy a text of the page. They are hidden without script, where the
// text can be selected.
for (const button of document.querySelectorAll("button[data-copy]")) {
  const text = document.getElementById(button.dataset.copy);
  const told = button.parentElement.querySelector("[role=status]");
  if (!text) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const copied = await copy(text);
    if (told) told.textContent = copied ? "Copied." : "It is selected: copy it with the keyboard.";
  });
}

async function copy(element) {
  const text = element.textContent.trim();
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection().selectAllChildren(element);
    return false;
  }
}
