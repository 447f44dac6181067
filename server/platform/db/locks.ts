import { sql, type SQL } from './sql.ts'

/**
 * This list has every advisory lock of the product with the first half of its key. The second half is what the lock is about, or nothing
 * where there is one for the whole database. A number is never given to something else, and those of two releases that run side by side
 * must agree.
 */
export const locks = {
  /** The schema is brought up to date. */
  migration: 1,
  /** The first person is created. */
  firstPerson: 2,
  /** Links are added to the chain of the audit log. */
  auditChain: 3,
  // 4 and 5 were the numbers of sums that are gone.
  /** Cells of the training matrix are worked out. The lock is about the organization. */
  trainingCells: 6,
  // 7 was the number of the lock of an upload.
  /** An attempt is begun. The lock is about the questions and the viewer, or the page of a trial. */
  attemptStart: 8,
  /** The first attempt that somebody completes is found. The lock is about the version of the questions and the person. */
  firstAttempt: 9,
  /** Certificates are added to a chain. The lock is about the organization. */
  certificateChain: 10,
  /** Figures of reports are read anew. The lock is about the reading, or the organization whose readings have changed. */
  reportFigures: 11,
  /** Statistics of questions are worked out. The lock is about their version. */
  itemFigures: 12,
  /** A backup is made, one at a time. */
  backup: 13,
  /** Files are copied into a backup, or files are removed, but never both. */
  fileRemoval: 14,
  /** Results of a video are written. The lock is about the video. */
  videoResults: 41,
  /** Members of rule groups are worked out. The lock is about the organization. */
  ruleMembers: 42,
  /** The rule of a group is changed. The lock is about the organization. */
  ruleChange: 43,
  /** Assignments are put after each other. The lock is about the organization. */
  assignmentPaths: 44,
  /** Messages about a video are planned, for all assignments that ask for it. The lock is about the video. */
  assignmentMessages: 46,
  /** Events are put into the queues of their addresses. */
  events: 47,
  /** The check of the installation takes it and gives it back. The lock is about the check. */
  doctor: 45,
  /** A process uses the embedded server. The lock is shared: whoever then has it alone is the last one, and stops the server. */
  embeddedServer: 7_236_401,
  /** A process lives that sends messages or posts events. The lock is about its token. */
  sendingWorker: 7_236_402,
  /** A process lives that works on files in a folder of its own. The lock is about its token. */
  scratchOwner: 7_236_403,
} as const

export type LockName = keyof typeof locks

const keyOf = (name: LockName, subject: SQL | string) =>
  sql`${sql.raw(String(locks[name]))}, hashtext(${subject})`

/** This expression waits for the lock, which the transaction holds until its end. */
export function lock(name: LockName, subject: SQL | string = ''): SQL {
  return sql`pg_advisory_xact_lock(${keyOf(name, subject)})`
}

/** This expression says whether the transaction holds the lock now. It waits for nobody. */
export function tryLock(name: LockName, subject: SQL | string = ''): SQL {
  return sql`pg_try_advisory_xact_lock(${keyOf(name, subject)})`
}

/** These statements are for a connection that holds the lock until it gives it back or ends. Their parameter is the subject. */
export function connectionLock(name: LockName) {
  const key = `${locks[name]}, hashtext($1)`
  return {
    wait: `select pg_advisory_lock(${key})`,
    try: `select pg_try_advisory_lock(${key}) as mine`,
    release: `select pg_advisory_unlock(${key})`,
    share: `select pg_advisory_lock_shared(${key})`,
    unshare: `select pg_advisory_unlock_shared(${key})`,
  }
}
