/**
 * Why another machine was not talked to, or gave no answer. `private_address`: its name leads into a network that is not the internet.
 * `timeout`: it did not answer in time.
 */
export const reachFaults = [
  'unknown_host',
  'private_address',
  'no_connection',
  'no_encryption',
  'certificate',
  'timeout',
  'broken_off',
] as const
export type ReachFault = (typeof reachFaults)[number]
