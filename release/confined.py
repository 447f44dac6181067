"""Runs a program under the system calls, namespaces and kinds of sockets that deploy/sendreel.service leaves. For tests."""

import errno
import os
import subprocess
import sys

import seccomp

unit = open(os.path.join(os.path.dirname(__file__), "../deploy/sendreel.service")).read()


def calls_of(name):
    if not name.startswith("@"):
        return {name}
    told = subprocess.run(["/usr/bin/systemd-analyze", "syscall-filter", name], capture_output=True, text=True, check=True).stdout
    words = [line.strip() for line in told.splitlines()[1:] if line.strip() and not line.strip().startswith("#")]
    return set().union(*(calls_of(word) for word in words))


def setting(name):
    return [line.split("=", 1)[1].split() for line in unit.splitlines() if line.startswith(name + "=")]


allowed = calls_of("@default")
for words in setting("SystemCallFilter"):
    if words[0].startswith("~"):
        words[0] = words[0][1:]
        allowed -= set().union(*map(calls_of, words))
    else:
        allowed |= set().union(*map(calls_of, words))

filter = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
flags = {"cgroup": 0x02000000, "time": 0x80, "user": 0x10000000, "mnt": 0x20000, "net": 0x40000000, "pid": 0x20000000, "ipc": 0x8000000, "uts": 0x4000000}
kept = set(setting("RestrictNamespaces")[0])
refused = [bits for name, bits in flags.items() if name not in kept]
families = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10, "AF_NETLINK": 16}
for call in sorted(allowed - {"clone3"}):
    if call in ("unshare", "clone"):
        forbidden = sum(refused)
        filter.add_rule(seccomp.ALLOW, call, seccomp.Arg(0, seccomp.MASKED_EQ, forbidden, 0))
    elif call == "socket":
        for family in setting("RestrictAddressFamilies")[0]:
            filter.add_rule(seccomp.ALLOW, call, seccomp.Arg(0, seccomp.EQ, families[family]))
    else:
        try:
            filter.add_rule(seccomp.ALLOW, call)
        except RuntimeError:
            pass  # A call of another processor.
filter.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")
filter.load()
os.execv(sys.argv[1], sys.argv[1:])
