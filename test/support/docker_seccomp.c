/*
 * docker_seccomp COMMAND ...: runs it without new privileges and with the system calls blocked that Docker's
 * documentation names as blocked by its default profile. Tests only.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const int blocked[] = {
    SYS_acct, SYS_add_key, SYS_bpf, SYS_clock_adjtime, SYS_clock_settime, SYS_delete_module,
    SYS_finit_module, SYS_get_mempolicy, SYS_init_module, SYS_io_uring_enter, SYS_io_uring_register,
    SYS_io_uring_setup, SYS_kcmp, SYS_kexec_load, SYS_keyctl, SYS_mbind, SYS_mount, SYS_move_pages,
    SYS_open_by_handle_at, SYS_perf_event_open, SYS_pivot_root, SYS_process_vm_readv,
    SYS_process_vm_writev, SYS_ptrace, SYS_quotactl, SYS_reboot, SYS_request_key, SYS_set_mempolicy,
    SYS_setns, SYS_settimeofday, SYS_swapoff, SYS_swapon, SYS_umount2, SYS_unshare, SYS_userfaultfd,
};

enum {
    COUNT = sizeof(blocked) / sizeof(*blocked),
    NAMESPACES = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET,
};

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, value)
#define UNLESS(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1)

int
main(int argc, char **argv)
{
    struct sock_filter program[2 * COUNT + 8];
    unsigned short length = 0;

    if (argc < 2) return 2;
    program[length++] = (struct sock_filter)LOAD(nr);
    for (int i = 0; i < COUNT; i++) {
        program[length++] = (struct sock_filter)UNLESS((unsigned)blocked[i]);
        program[length++] = (struct sock_filter)ANSWER(SECCOMP_RET_ERRNO | EPERM);
    }
    /* glibc tries clone where clone3 is not there, whose flags a filter can read. */
    program[length++] = (struct sock_filter)UNLESS(SYS_clone3);
    program[length++] = (struct sock_filter)ANSWER(SECCOMP_RET_ERRNO | ENOSYS);
    program[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3);
    program[length++] = (struct sock_filter)LOAD(args[0]);
    program[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NAMESPACES, 0, 1);
    program[length++] = (struct sock_filter)ANSWER(SECCOMP_RET_ERRNO | EPERM);
    program[length++] = (struct sock_filter)ANSWER(SECCOMP_RET_ALLOW);

    struct sock_fprog filter = {.len = length, .filter = program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) {
        perror("docker_seccomp");
        return 1;
    }
    execvp(argv[1], argv + 1);
    perror(argv[1]);
    return 1;
}
