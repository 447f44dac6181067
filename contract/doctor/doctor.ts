import * as z from 'zod/mini'
import { capability, endpoint, Instant, only } from '../endpoint.ts'
import { superadminOnly } from '../roles.ts'

/** What is looked at, in the order in which it is told. */
export const checkNames = [
  'clock',
  'disk',
  'database',
  'migrations',
  'jobs',
  'mail',
  'sender',
  'returns',
  'storage',
  'secret',
  'backups',
  'address',
  'proxy',
  'converter',
  'set_aside',
  'ports',
] as const
export type CheckName = (typeof checkNames)[number]

export const findingStates = ['ok', 'attention', 'wrong'] as const
export type FindingState = (typeof findingStates)[number]

/** Everything that can be found, and how bad it is; in words: `contract/doctor/doctor-words.ts`. */
export const findings = {
  check_failed: 'wrong',
  took_too_long: 'wrong',
  needs_database: 'attention',

  clock_right: 'ok',
  clock_drifts: 'attention',
  clock_wrong: 'wrong',

  disk_roomy: 'ok',
  disk_tight: 'attention',
  disk_full: 'wrong',
  disk_silent: 'attention',

  database_answers: 'ok',
  database_not_begun: 'attention',
  database_empty: 'attention',
  database_gone: 'wrong',
  database_old: 'wrong',
  extensions_missing: 'wrong',
  role_bound: 'ok',
  role_unbound: 'wrong',
  policies_missing: 'wrong',
  owner_right: 'ok',
  owner_powerless: 'wrong',
  locks_hold: 'ok',
  locks_lost: 'wrong',
  connections_fit: 'ok',
  connections_many: 'attention',

  tables_current: 'ok',
  tables_behind: 'attention',
  tables_newer: 'wrong',

  jobs_done: 'ok',
  jobs_stuck: 'wrong',
  jobs_failed: 'attention',

  mail_none: 'attention',
  mail_answers: 'ok',
  mail_unencrypted: 'attention',
  mail_refuses: 'wrong',
  mail_password_lost: 'wrong',

  sender_local: 'attention',
  domain_unknown: 'wrong',
  dns_silent: 'attention',
  spf_there: 'ok',
  spf_missing: 'attention',
  spf_double: 'wrong',
  spf_open: 'attention',
  dkim_there: 'ok',
  dkim_missing: 'attention',
  dkim_unpublished: 'wrong',
  dmarc_there: 'ok',
  dmarc_missing: 'attention',

  returns_none: 'ok',
  returns_read: 'ok',
  returns_password_lost: 'wrong',
  returns_unreadable: 'wrong',

  storage_works: 'ok',
  storage_slow: 'attention',
  storage_refuses: 'wrong',
  storage_open: 'wrong',
  storage_foreign: 'attention',
  storage_moving: 'attention',
  store_works: 'ok',
  store_slow: 'attention',
  store_refuses: 'wrong',

  secret_kept: 'ok',
  secret_given: 'ok',
  secret_open: 'wrong',
  secret_missing: 'wrong',
  secret_other: 'wrong',
  secret_not_made: 'attention',

  backups_made: 'ok',
  backups_off: 'attention',
  backups_awaited: 'attention',
  backups_missing: 'wrong',
  backups_checked: 'ok',
  backups_unchecked: 'attention',
  backups_damaged: 'wrong',
  backups_unreadable: 'attention',

  address_answers: 'ok',
  address_unset: 'attention',
  address_unencrypted: 'attention',
  address_silent: 'wrong',
  address_foreign: 'wrong',
  address_idle: 'attention',

  proxy_none: 'ok',
  proxy_right: 'ok',
  proxy_untrusted: 'wrong',
  proxy_mute: 'wrong',
  proxy_secretive: 'wrong',
  proxy_wide: 'attention',

  converter_there: 'ok',
  converter_missing: 'wrong',
  converter_refused: 'wrong',
  speech_model_there: 'ok',
  speech_model_missing: 'wrong',
  speech_model_altered: 'wrong',
  converter_passed_over: 'ok',
  boundary_there: 'ok',
  boundary_missing: 'attention',

  nothing_aside: 'ok',
  something_aside: 'attention',

  port_served: 'ok',
  port_free: 'attention',
  port_taken: 'wrong',
} as const satisfies Record<string, FindingState>
export type FindingCode = keyof typeof findings
const codes = Object.keys(findings) as [FindingCode, ...FindingCode[]]

export const Finding = z.object({
  check: z.enum(checkNames),
  state: z.enum(findingStates),
  code: z.enum(codes),
  /** What its sentence speaks of: names, addresses, figures; never a secret. */
  values: z.record(z.string(), z.string()),
})
export type Finding = z.infer<typeof Finding>

export const readDoctor = endpoint({
  name: 'readDoctor',
  method: 'GET',
  path: '/system/doctor',
  summary: 'Whether the installation has what it needs, looked at now, and what to do where it has not',
  access: only(superadminOnly, 'settings'),
  ownTransactions: true,
  reply: z.object({ lookedAt: Instant, findings: z.array(Finding) }),
  cacheSeconds: 60,
})

export const readMirror = endpoint({
  name: 'readMirror',
  method: 'GET',
  path: '/system/mirror/:token',
  summary: 'How a request arrives here, for the installation itself, which alone can write the token',
  access: capability,
  params: z.object({ token: z.string().check(z.maxLength(200)) }),
  reply: z.object({
    /** Of the process that answers: it has the secret that the token was made with. */
    proof: z.string(),
    /** Who sends the request, as everything else here understands it. */
    address: z.string(),
    /** The other end of the connection, and whether it is believed as a proxy. */
    peer: z.string(),
    isTrusted: z.boolean(),
    /** `X-Forwarded-For` as it arrived. */
    forwarded: z.nullable(z.string()),
  }),
  cacheSeconds: 0,
})
