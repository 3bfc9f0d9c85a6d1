// What confine_worker has done, for Go to read.
struct confined {
	int ran;         // this process is a worker
	int privileges;  // errno of no_new_privs; 0 where it holds
	int abi;         // Landlock's version; 0 where the kernel has none
	int landlock;    // errno of Landlock; 0 where it holds
	const char *at;  // what Landlock's errno is about
};
extern struct confined sandbox_confined;
