import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { rows } from './platform/db/client.ts'
import { sql } from './platform/db/sql.ts'
import { startTestServer, type TestServer } from './testing/server.ts'

/** Who owns which table: only this room inserts, updates and deletes its rows. */
const owners: Record<string, readonly string[]> = {
  platform: [
    'audit',
    'audit_chain',
    'audit_unsealed',
    'dirty_keys',
    'file_stores',
    'idempotency_keys',
    'key_calls',
    'mail_attachments',
    'mails',
    'migrations',
    'scope_keys',
    'set_aside',
  ],
  notifications: ['notifications'],
  operations: ['operation_rows', 'operations'],
  identity: [
    'attempts',
    'connection_logouts',
    'connection_people',
    'connection_sessions',
    'devices',
    'flows',
    'invitations',
    'mail_returns',
    'mail_senders',
    'mail_server',
    'mail_signing',
    'passkeys',
    'recovery_codes',
    'sessions',
    'setup_links',
    'sign_in_connections',
    'sign_in_domains',
    'sign_in_policies',
    'system_settings',
    'totp_factors',
  ],
  directory: [
    'consent_texts',
    'count_changes',
    'custom_fields',
    'group_members',
    'groups',
    'membership_log',
    'organizations',
    'pictures',
    'private_periods',
    'saved_views',
    'users',
  ],
  webhooks: ['webhooks'],
  events: ['event_addresses', 'event_lines', 'event_marks', 'event_posts', 'events'],
  'service-accounts': ['service_accounts', 'service_tokens'],
  imports: ['import_rows', 'imports'],
  tracking: [
    'audience_days',
    'consents',
    'day_rollups',
    'delivery_viewing',
    'forgotten_viewing',
    'play_events',
    'play_sessions',
    'play_spans',
    'served_parts',
    'served_runs',
    'served_sessions',
    'track_batches',
    'video_heat',
    'video_heat_days',
    'viewer_days',
    'viewer_videos',
    'viewing_decisions',
    'visitor_counts',
  ],
  move: ['moved_files'],
  videos: [
    'captions',
    'projects',
    'recognitions',
    'speech_models',
    'upload_parts',
    'uploads',
    'video_chapters',
    'video_versions',
    'videos',
  ],
  duty: ['confirmations', 'obligations', 'training_waivers'],
  quizzes: [
    'quiz_answers',
    'quiz_attempts',
    'quiz_attention',
    'quiz_item_stats',
    'quiz_items',
    'quiz_trials',
    'quiz_versions',
    'quizzes',
  ],
  matrix: ['past_training_cells', 'training_cells'],
  evidence: ['certificates', 'evidence_erasures', 'retention_marks', 'signing_keys'],
  transmissions: [
    'deliveries',
    'delivery_attempts',
    'delivery_events',
    'mail_event_sources',
    'message_templates',
    'send_lanes',
    'sending_guard',
    'suppressions',
    'transmission_approvals',
    'transmission_counts',
    'transmission_waves',
    'transmissions',
    'unsubscriptions',
  ],
  assignments: ['assignments', 'escalation_digests', 'obligation_changes', 'obligation_messages'],
  cards: ['cards'],
  secret: ['secret_mark'],
  reports: ['report_addresses', 'report_figures', 'report_schedules'],
  backup: ['backup_plan'],
  dashboard: ['hidden_attention'],
}

/** Functions of the schema that write, and the room that each belongs to. */
const functionsOf: Record<string, readonly string[]> = {
  identity: ['forget_connection_people'],
  events: ['add_event_source'],
  platform: ['add_dirty_source', 'audit_to_seal', 'erase_audit_details'],
  directory: ['count_in_organization', 'count_members', 'log_membership', 'users_manager_follows'],
  matrix: ['keep_past_cells'],
  transmissions: ['count_deliveries', 'unsubscriptions_follow'],
  assignments: ['assign_recipients', 'oblige_recipients'],
}

/** Made by `add_dirty_source` for each source of a derived figure: they note in `dirty_keys` what has to be worked out anew. */
const notesWhatIsDirty = /^mark_dirty_/
/** Made by `add_event_source` for each source of events: they write in `events` what has happened. */
const tellsEvents = /^tell_/

/**
 * Tables that another room writes too, each room with its reason: this list may only become shorter. What stands here is taken away by a
 * function that the owner exports, or by one that `app.ts` or `worker.ts` hands in.
 */
const exceptions: Record<string, Record<string, string>> = {
  group_members: {
    identity:
      'Accepting an invitation and deleting an account of one’s own are one transaction with the person; the directory stands above.',
  },
  obligations: {
    assignments:
      'The planner begins, ends and plans what an assignment asks for, each in one statement with the assignment; what was watched of it is written by duty.',
  },
  sessions: {
    platform:
      'Every request notes that its session is used, in the statement that also tells until when it holds.',
  },
  users: {
    identity: 'Passwords and accounts of one’s own are columns of the person; the directory stands above.',
    platform: 'Noted in the same statement as the session: when the person was last seen.',
  },
}

/**
 * Columns that every room may name in its SQL, of tables that are read everywhere. What else others want to know of such a row they ask for
 * by a condition or a relation that the owner exports, so that a new state is a change of one room. More tables may come to stand here.
 */
const publicColumns: Record<string, string> = {
  deliveries:
    'accepted_at address channel created_at due_at id link_hash link_revoked_at link_revoked_reason organization_id read_at transmission_id updated_at user_id',
  transmission_counts: 'n organization_id transmission_id',
  users:
    'avatar called created_at custom_fields deleted_at email external_id id language last_seen_at manager name organization_id phone role role_since search time_zone updated_at',
}

/** Rooms below an owner that say for it what a row means. */
const speaksFor: Record<string, string> = { deliveries: 'transmissions', people: 'directory' }

/** Rooms that read another column all the same, each with its reason: this list may only become shorter. */
const readingExceptions: Record<string, Record<string, string>> = {
  transmission_counts: {
    platform: 'A figure of the metrics, which stand below every room that could tell it.',
  },
  users: {
    evidence: 'The file about a person tells when they asked for their account to be deleted.',
    identity: 'Who may sign in, by which password, and until when an account is there, is decided here.',
    search: 'One statement for all kinds of things, which shows the state of each under the same name.',
  },
}

/** The demo writes a past that nobody has lived, so that it goes through none of the owners. */
const inventsThePast = 'sample'

/** Places where the name of the table is a value, and which tables these are. */
const named: Record<string, readonly string[]> = {
  // A restore empties every table, as their owner.
  'server/backup/restore/load.ts': [],
  'server/directory/pictures/store.ts': ['organizations', 'users'],
  // What `personal.ts` lists of every table is erased by one statement.
  'server/directory/users/erase.ts': [],
  'server/identity/factors/factors.ts': ['passkeys', 'recovery_codes', 'totp_factors'],
  'server/identity/removal.ts': ['devices', 'passkeys', 'recovery_codes', 'totp_factors'],
  // `markRemoved`, whose callers name the table.
  'server/operations/rows.ts': [],
  // Whatever an owner keeps sealed is sealed anew by the present secret.
  'server/platform/sealed.ts': [],
  'server/tracking/aggregate.ts': ['play_events', 'play_spans', 'viewing_decisions'],
  'server/tracking/forget.ts': ['consents', 'served_parts', 'viewer_days', 'viewer_videos'],
  'server/tracking/rebuild.ts': ['delivery_viewing', 'viewer_videos'],
  // Sums over sessions, whose tables stand beside their columns there.
  'server/tracking/sums.ts': [],
}

const root = path.resolve(import.meta.dirname, '..')
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'server'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('server/testing/'))
  .filter((file) => existsSync(path.join(root, file)))

const ColumnsOfTable = z.object({ name: z.string(), columns: z.array(z.string()) })
const Body = z.object({ name: z.string(), text: z.string() })

let server: TestServer
let tables: Set<string>
let columns: Map<string, readonly string[]>
let functions: z.infer<typeof Body>[]

beforeAll(async () => {
  server = await startTestServer()
  const { db } = server.services
  const found = await rows(
    db.single,
    ColumnsOfTable,
    sql`select c.relname as name, array_agg(a.attname::text) as columns from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
      and not a.attisdropped where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition group by c.oid`,
  )
  columns = new Map(found.map((one) => [one.name, one.columns]))
  tables = new Set(columns.keys())
  functions = await rows(
    db.single,
    Body,
    sql`select p.proname as name, p.prosrc as text from pg_proc p where p.pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
  )
})
afterAll(() => server.close())

const verbs = String.raw`\b(?:insert\s+into|delete\s+from|merge\s+into|update(?=\s+(?:only\s+)?\S+(?:\s+(?:as\s+)?\w+)?\s+set\b))\s+(?:only\s+)?`
const writing = new RegExp(String.raw`${verbs}(\w+)`, 'gi')
const writingValue = new RegExp(String.raw`${verbs}\$\{|\btruncate \$\{`, 'i')

const removing = /\bmarkRemoved\(\s*\w+,\s*sql`(\w+)/g

const written = (text: string) =>
  [...text.matchAll(writing), ...text.matchAll(removing)]
    .map(([, name = '']) => name.toLowerCase())
    .filter((name) => tables.has(name))

const textOf = (file: string) => readFileSync(path.join(root, file), 'utf8')
const roomOf = (file: string) => (file.split('/')[1] ?? '').replace(/\.ts$/, '')
const sorted = (found: Iterable<[string, Iterable<string>]>) =>
  Object.fromEntries([...found].map(([table, rooms]) => [table, [...rooms].toSorted()] as const))
const ownerOf = (table: string) => Object.keys(owners).find((room) => owners[room]?.includes(table))

test('every table has one owner', () => {
  expect(Object.values(owners).flat().toSorted()).toEqual([...tables].toSorted())
})

test('where the name of the table is a value, it is said which tables these are', () => {
  expect(files.filter((file) => writingValue.test(textOf(file))).toSorted()).toEqual(
    Object.keys(named).toSorted(),
  )
})

test('a function of the schema that writes belongs to a room', () => {
  const writers = functions
    .filter(
      ({ name, text }) => written(text).length > 0 && !notesWhatIsDirty.test(name) && !tellsEvents.test(name),
    )
    .map(({ name }) => name)
  expect(Object.values(functionsOf).flat().toSorted()).toEqual([...new Set(writers)].toSorted())
})

test('only its owner writes a table, but for the exceptions that are left', () => {
  const foreign = new Map<string, Set<string>>()
  const note = (room: string, names: readonly string[]) => {
    for (const table of names)
      if (ownerOf(table) !== room && room !== inventsThePast) {
        const rooms = foreign.get(table) ?? new Set()
        foreign.set(table, rooms.add(room))
      }
  }
  for (const file of files) note(roomOf(file), [...written(textOf(file)), ...(named[file] ?? [])])
  for (const [room, names] of Object.entries(functionsOf))
    for (const { text } of functions.filter(({ name }) => names.includes(name))) note(room, written(text))
  expect(sorted(foreign)).toEqual(
    sorted(Object.entries(exceptions).map(([table, why]) => [table, Object.keys(why)])),
  )
})

const words =
  'as|cross|for|full|group|inner|join|left|limit|natural|on|order|returning|right|select|set|union|using|values|where'

/** Comments say of which table an alias of a condition is, and name no column in SQL. */
const withoutComments = (text: string) =>
  text.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, (comment) => ' '.repeat(comment.length))

/**
 * Columns of a table that a text names beside these: behind one of the aliases that the table has anywhere in the file, `deliveries d` in a
 * comment among them, or bare in a statement that gives it none. It sees neither `select *`, nor a column or an alias that is a value, nor
 * what a view or a function of the schema reads; a column of another table under the same alias it takes for one of this table.
 */
function namedBeside(text: string, table: string, allowed: readonly string[]): string[] {
  const rest = (columns.get(table) ?? []).filter((column) => !allowed.includes(column)).join('|')
  const given = text.matchAll(
    new RegExp(String.raw`\b${table}\s+(?:as\s+)?(?!(?:${words})\b)([a-z]\w*)\b`, 'g'),
  )
  const aliases = [table, ...new Set([...given].map(([, alias = '']) => alias))].join('|')
  const code = withoutComments(text)
  const behind = code.matchAll(new RegExp(String.raw`(?<![.\w])(?:${aliases})\.(?:${rest})\b`, 'g'))
  const bare = [
    ...code.matchAll(
      new RegExp(String.raw`\b(?:from|join|using)\s+${table}\s*(?=(?:${words})\b|[$)\x60])`, 'g'),
    ),
  ].flatMap(({ index }) => {
    const statement = code.slice(code.lastIndexOf('`', index) + 1, code.indexOf('`', index))
    return Array.from(statement.matchAll(new RegExp(String.raw`(?<![.\w'"])(?:${rest})\b(?![\w'"(.])`, 'g')))
  })
  return [...behind, ...bare].map(([name]) => name)
}

test('a table that is read everywhere is read by its public columns, but for the exceptions that are left', () => {
  const foreign = new Map<string, Set<string>>()
  for (const [table, listed] of Object.entries(publicColumns)) {
    const allowed = listed.split(' ')
    expect(columns.get(table)).toEqual(expect.arrayContaining(allowed))
    for (const file of files) {
      const room = roomOf(file)
      if ((speaksFor[room] ?? room) === ownerOf(table) || room === inventsThePast) continue
      if (namedBeside(textOf(file), table, allowed).length > 0)
        foreign.set(table, (foreign.get(table) ?? new Set()).add(room))
    }
  }
  expect(sorted(foreign)).toEqual(
    sorted(Object.entries(readingExceptions).map(([table, why]) => [table, Object.keys(why)])),
  )
})

test('a column that is not public is found behind an alias, bare, and in a condition on an alias that a comment names', () => {
  const beside = (text: string) =>
    namedBeside(text, 'deliveries', (publicColumns['deliveries'] ?? '').split(' '))
  expect(beside('sql`select d.id, d.state from deliveries d where d.user_id = 1`')).toEqual(['d.state'])
  expect(beside("sql`select 1 from deliveries where state = 'queued' and user_id = 1`")).toEqual(['state'])
  expect(beside('/** Condition on `deliveries d`. */ sql`d.provider_ref is null`')).toEqual([
    'd.provider_ref',
  ])
  expect(beside('sql`select t.state, d.accepted_at from deliveries d join transmissions t on true`')).toEqual(
    [],
  )
  expect(beside('// deliveries d: d.state\n')).toEqual([])
})
