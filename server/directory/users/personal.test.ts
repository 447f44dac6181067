import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { expect, test } from 'vitest'
import { issueCertificate } from '#contract/evidence/certificates.ts'
import { eraseEvidence, personDataParts } from '#contract/evidence/privacy.ts'
import { createUser, deleteUser, updateUser } from '#contract/directory/users.ts'
import { seal } from '../../platform/audit/seal.ts'
import { startHousekeeping } from '../../housekeeping.ts'
import { durationMs, watched } from '../../testing/viewing/watched.ts'
import { aServer, anOrganization } from '../../testing/worlds.ts'
import type { PersonalField } from './personal-fates.ts'
import { personalTables } from './personal.ts'

const server = await aServer()
const { query } = server

/** Every column of every table, partitions left out. */
async function schema(): Promise<Map<string, string[]>> {
  const found = await query(
    `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition group by 1`,
  )
  return new Map((found as { name: string; columns: string[] }[]).map(({ name, columns }) => [name, columns]))
}

test('the list names every table, and every column of those that are about a person', async () => {
  const there = await schema()
  const impersonal = impersonalTables.split(' ')
  expect([...Object.keys(personalTables), ...impersonal].toSorted()).toEqual([...there.keys()].toSorted())
  for (const [table, { fields = {}, otherColumns }] of Object.entries(personalTables))
    expect([table, ...Object.keys(fields), ...otherColumns.split(' ')].toSorted()).toEqual(
      [table, ...(there.get(table) ?? [])].toSorted(),
    )
  const personal =
    /^(user_ids?|owner_id|actor_id|person|viewer|viewer_key|identifier|network|phone|user_agent|ip_prefix)$|(^|_)(email|address)$|_by_name$/
  for (const table of impersonal)
    expect([table, ...(there.get(table) ?? []).filter((column) => personal.test(column))]).toEqual([table])
})

test('each of these is told in a part of the file about a person, or the list says why not', () => {
  const disclosed = Object.entries(personalTables).flatMap(([table, one]) =>
    'parts' in one ? [[table, one.parts] as const] : [],
  )
  const parts = new Set(disclosed.flatMap(([, those]) => those))
  expect([...parts].toSorted()).toEqual(Object.keys(personDataParts).toSorted())
  const tables = new Set(disclosed.map(([table]) => table))
  const open = fields.filter(
    ([place, { file, untold }]) => tables.has(place.split('.')[0] ?? '') && !file === !untold,
  )
  expect(open).toEqual([])
})

/** These tables are about nobody in particular. A new table belongs here or into `personalTables`. */
const impersonalTables =
  'organizations count_changes groups custom_fields message_templates projects videos video_versions uploads upload_parts moved_files file_stores event_lines event_marks quizzes quiz_versions quiz_items quiz_item_stats report_figures attempts audit_chain audit_unsealed set_aside setup_links system_settings consent_texts forgotten_viewing private_periods retention_marks obligation_messages send_lanes sending_guard backup_plan mail_event_sources mail_signing secret_mark signing_keys transmission_counts transmission_waves served_runs visitor_counts audience_days day_rollups video_heat video_heat_days scope_keys migrations key_calls service_tokens connection_logouts sign_in_domains sign_in_policies video_chapters captions speech_models'

type Field = [place: string, field: PersonalField]
const fields: Field[] = Object.entries(personalTables).flatMap(([table, { fields: named = {} }]) =>
  Object.entries(named).map(([column, field]): Field => [`${table}.${column}`, field]),
)
/** Neither words nor JSON, of a few values only, or not about a person. */
const unmarked = new Set(
  `users.language users.time_zone users.avatar users.password_hash pictures.data mail_attachments.content sessions.ip_prefix audit.ip_prefix
  sign_in_connections.trial sign_in_connections.name
  totp_factors.secret_sealed passkeys.public_key mail_server.sender_address mail_server.sender_name mail_server.login
  mail_senders.address service_accounts.name webhooks.url event_addresses.url mail_returns.address mail_returns.login`.split(
    /\s+/,
  ),
)

/** Every column of the whole database, the queue's too, in which the word stands. */
async function whereIs(word: string): Promise<string[]> {
  const owner = new pg.Client({ connectionString: server.ownerUrl })
  await owner.connect()
  try {
    const { rows: columns } = await owner.query<{ schema: string; table: string; column: string }>(
      `select n.nspname as schema, c.relname as table, a.attname as column from pg_attribute a
        join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p') and not c.relispartition
        join pg_namespace n on n.oid = c.relnamespace and n.nspname not in ('pg_catalog', 'information_schema')
        where a.attnum > 0 and not a.attisdropped and a.atttypid::regtype::text ~ '^(text|jsonb?|character)' order by 1, 2, 3`,
    )
    const found: string[] = []
    for (const { schema, table, column } of columns) {
      const from = `"${schema}"."${table}" where "${column}"::text ilike $1`
      const { rows } = await owner.query(`select 1 from ${from} limit 1`, [`%${word}%`])
      if (rows.length > 0)
        found.push(schema === 'public' ? `${table}.${column}` : `${schema}.${table}.${column}`)
    }
    return found
  } finally {
    await owner.end()
  }
}

/** What no call of the API writes at once: $1 the organization, $2 the person, $3 the word, $4 a video, $5 another person. */
const filling = [
  `update users set phone = $3, external_id = $3, manager = $3, custom_fields = jsonb_build_object('shift', $3) where id = $2`,
  `insert into sessions (user_id, token_hash, idle_expires_at, expires_at, ip_prefix, user_agent)
    values ($2, '\\x01', now(), now() + interval '30 days', '192.0.2.0/24', $3)`,
  `insert into sessions (user_id, token_hash, idle_expires_at, expires_at, viewing_as, viewing_reason)
    values ($5, '\\x02', now(), now() + interval '30 days', $2, 'Help ' || $3)`,
  `insert into passkeys (user_id, credential_id, public_key, counter, backed_up, name) values ($2, $3, '\\x00', 0, false, $3)`,
  `insert into devices (user_id, token_hash, user_agent) values ($2, '\\x03', $3)`,
  `with c as (insert into sign_in_connections (organization_id, kind, name, issuer, client_id, is_on, creates, grants, second_step, rules)
      values ($1, 'oidc', 'Company', 'https://login.example.test', 'reel', true, false, 'admin', 'ours', '[]') returning id),
    p as (insert into connection_people (connection_id, organization_id, user_id, subject, claims)
      select id, $1, $2, $3, jsonb_build_object('name', jsonb_build_array($3)) from c returning id)
    insert into connection_sessions (session_id, person_id, user_id, sid)
      select s.id, p.id, $2, $3 from p, sessions s where s.user_id = $2 limit 1`,
  `insert into flows (token_hash, purpose, identifier, user_id, data, expires_at)
    values ('\\x04', 'login', $3 || '@example.test', $2, jsonb_build_object('email', $3), now())`,
  `insert into idempotency_keys (actor_id, route, key, body_hash, reply) values ($2, 'x', 'y', '\\x05', jsonb_build_object('name', $3))`,
  `insert into saved_views (organization_id, owner_id, list, name, search) values ($1, $2, 'users', $3, jsonb_build_object('search', $3))`,
  `with g as (insert into groups (organization_id, name) values ($1, 'Night shift') returning id)
    insert into membership_log (organization_id, group_id, user_id, change, cause) select $1, id, $2, 'added', 'manual' from g`,
  `with t as (insert into consent_texts (organization_id, hash, text) values ($1, 'x', 'Viewing is recorded.') returning hash)
    insert into consents (organization_id, viewer_key, hash, first_at) select $1, 'recipient:' || $2, hash, now() from t`,
  `insert into hidden_attention (organization_id, owner_id, kind, count, until) values ($1, $2, 'failed_mails', 1, now() + interval '1 day')`,
  `with a as (insert into event_addresses (organization_id, url, types, secret_sealed) values ($1, 'https://a.test/', '{person.changed}', '') returning id),
    e as (insert into events (organization_id, type, subject, at, data, due_at) values ($1, 'person.changed', $2, now(), jsonb_build_object('name', $3), now()) returning id)
    insert into event_posts (organization_id, address_id, event_id, subject, type, state, answer)
      select $1, a.id, e.id, $2, 'person.changed', 'aside', $3 from a, e`,
  `insert into notifications (organization_id, user_id, kind, entity_id, cause) values ($1, $2, 'video.ready', $4, 'once')`,
  `with p as (insert into pictures (key, organization_id, type, data, width, height) values ($4::text, $1, 'image/png', '\\x00', 1, 1) returning key)
    update users set language = 'de', time_zone = 'Asia/Tokyo', avatar = p.key from p where id = $2`,
  `insert into viewing_decisions (session_id, organization_id, user_id, reason, decided_by, decided_by_name)
    select id, $1, $2, $3, $2, $3 from play_sessions where user_id = $2`,
  `insert into training_waivers (organization_id, user_id, video_id, reason, given_by, given_by_name, ended_at, ended_by, ended_by_name)
    values ($1, $2, $4, $3, $2, $3, now(), $2, $3)`,
  `with a as (insert into assignments (organization_id, name, video_id, audience, requirement, due, reminders, subject, message, created_by, created_by_name)
      values ($1, 'n', $4, '{}', 'watched', '{}', '{}', 's', 'm', $2, $3) returning id),
    o as (insert into obligations (organization_id, assignment_id, user_id, video_id, counts_from, reason)
      select $1, id, $2, $4, now(), $3 from a)
    insert into obligation_changes (organization_id, assignment_id, user_id, action, reason, by_id, by_name)
    select $1, id, $2, 'waive', $3, $2, $3 from a`,
  `with o as (insert into operations (organization_id, kind, state, created_by, created_by_name, finished_at, undone_by, undone_by_name)
      values ($1, 'users.add_to_group', 'undone', $2, $3, now(), $2, $3) returning id)
    insert into operation_rows (operation_id, organization_id, position, entity, entity_id, label, input, before, after)
    select id, $1, 1, 'user', $2, $3, jsonb_build_object('x', $3), jsonb_build_object('x', $3), jsonb_build_object('x', $3) from o`,
  `with o as (insert into operations (organization_id, kind, state, created_by_name, created_at, finished_at)
      values ($1, 'users.import', 'done', 'Import', now() - interval '100 days', now() - interval '100 days') returning id),
    i as (insert into imports (operation_id, organization_id, file_name, delimiter, header, options) select id, $1, $3, ',', array[$3], '{}' from o)
    insert into import_rows (operation_id, organization_id, position, outcome, label, user_id, email, external_id, changes)
    select id, $1, 1, 'changed', $3, $2, $3, $3, jsonb_build_array($3) from o`,
  `insert into report_schedules (organization_id, owner_id, report, view, period, rhythm, weekday, month_day, hour, time_zone, formats, next_at)
    values ($1, $2, 'user-engagement', jsonb_build_object('search', $3), '7d', 'weekly', 1, 1, 6, 'UTC', '{csv}', now() + interval '1 year')`,
  `insert into report_addresses (schedule_id, organization_id, owner_id, address)
    select id, $1, $2, $3 || '@example.test' from report_schedules where owner_id = $2`,
  `update transmissions set sender_id = $2, sender_name = $3 where organization_id = $1`,
  `insert into transmission_approvals (organization_id, transmission_id, state, content_rev, audience_hash, asked_by, asked_for, decided_by, decided_by_name, decided_at)
    select $1, id, 'approved', 1, 'x', $5, 1, $2, $3, now() from transmissions where organization_id = $1`,
  `update deliveries set address = $3 || '@example.test', reason = '550 <' || $3 || '>', provider_ref = '250 ' || $3 where user_id = $2`,
  `insert into cards (delivery_id, organization_id, transmission_id, user_id, pin_hash, handed_by, handed_by_name)
    select id, $1, transmission_id, $2, '', $2, $3 from deliveries where user_id = $2`,
  `insert into delivery_attempts (delivery_id, n, organization_id, transmission_id, outcome, response)
    select id, 9, $1, transmission_id, 'rejected', '550 <' || $3 || '>' from deliveries where user_id = $2`,
  `with m as (insert into mails (organization_id, address, subject, text, html, headers, state, last_error)
      values ($1, $3 || '@example.test', $3, $3, $3, jsonb_build_object('x', $3), 'failed', $3) returning id)
    insert into mail_attachments (mail_id, position, organization_id, name, type, content) select id, 0, $1, $3, 'text/csv', '\\x00' from m`,
  `insert into mails (organization_id, delivery_id, address, subject, text, state)
    select $1, id, $3 || '-at-first@example.test', 'A video for you', 'Hello ' || $3, 'resting' from deliveries where user_id = $2`,
  `insert into suppressions (organization_id, address, reason) values ($1, $3 || '@example.test', 'returned')`,
  `insert into unsubscriptions (organization_id, user_id, address) values ($1, $2, $3 || '@example.test')`,
  `with o as (insert into operations (organization_id, kind, state, created_by_name) values ($1, 'barred_addresses.lift', 'done', 'x') returning id)
    insert into operation_rows (operation_id, organization_id, position, entity, entity_id, label, before)
    select id, $1, 1, 'barred_address', gen_random_uuid(), $3 || '@example.test', jsonb_build_object('address', $3 || '@example.test') from o`,
  `update play_sessions set user_agent = $3, network = $3, said_by = $3, signed_in_by = $3 where user_id = $2`,
  `update track_batches set user_agent = $3, network = $3, claims = claims || jsonb_build_object('name', $3, 'saidBy', jsonb_build_object('id', gen_random_uuid(), 'name', $3)) where organization_id = $1`,
  `insert into play_events (session_id, n, organization_id, type, at_ms, position_ms, data)
    select id, 99, $1, 'error', 0, 0, jsonb_build_object('text', $3) from play_sessions where user_id = $2`,
  `with q as (insert into quizzes (organization_id, video_id, draft) values ($1, $4, '{}') returning id),
    v as (insert into quiz_versions (organization_id, quiz_id, number, settings, max_score) select $1, id, 1, '{}', 1 from q returning id, quiz_id),
    i as (insert into quiz_items (organization_id, version_id, key, position, kind, question, points, gate)
      select $1, id, gen_random_uuid(), 0, 'text', '{"prompt": "Who called?"}', 1, false from v returning id),
    a as (insert into quiz_attempts (organization_id, quiz_id, version_id, video_id, viewer_key, user_id, session_id, number, seed, max_score)
      select $1, quiz_id, id, $4, 'recipient:' || $2, $2, gen_random_uuid(), 1, 1, 1 from v returning id)
    insert into quiz_answers (organization_id, attempt_id, item_id, try, answer, score, correct) select $1, a.id, i.id, 1, to_jsonb($3), 1, true from a, i`,
  `insert into quiz_trials (organization_id, session_id, run) values ($1, $4, jsonb_build_object('answers', $3))`,
  `insert into audit (organization_id, actor_id, actor_name, action, entity, entity_id, user_agent) values ($1, $2, $3, 'user.updated', 'user', $5, $3)`,
]

/** Somebody with this word in every place of the list, by what the product does and, where it has no quick way, by hand. */
async function somebodyEverywhere(word: string) {
  const { orgId, admin } = await anOrganization(server)
  const other = await server.person('admin', orgId)
  const name = `Ada ${word}`
  const first = { name, email: `${word}-at-first@example.test`, role: 'admin' as const }
  const { id: userId } = (await admin.call(createUser, { params: { orgId }, body: first })).body
  const renamed = await admin.call(updateUser, {
    params: { orgId, userId },
    body: { ...first, email: `${word}@example.test` },
  })
  expect(renamed.status).toBe(200)
  const { videoId } = await watched(server, { orgId, userId }, [[0, durationMs]])
  const issued = await admin.call(issueCertificate, { params: { orgId, userId }, body: { videoId } })
  expect(issued.status).toBe(200)
  await query(`update invitations set invited_by = $1, invited_by_name = $2 where organization_id = $3`, [
    userId,
    name,
    orgId,
  ])
  const values = [orgId, userId, word, videoId, other.id]
  const literal = (_: string, n: string) =>
    `${pg.escapeLiteral(values[Number(n) - 1] ?? '')}::${n === '3' ? 'text' : 'uuid'}`
  for (const text of filling) await query(text.replaceAll(/\$(\d)/g, literal))
  return { orgId, admin, userId }
}

test('an erased person is found nowhere in the database but where the list says so', async () => {
  const word = `zq${randomBytes(4).toString('hex')}`
  const { orgId, admin, userId } = await somebodyEverywhere(word)
  const file = await admin.send('GET', `/api/organizations/${orgId}/users/${userId}/data-export`)
  const parts = file.body as Record<string, Record<string, unknown>[]>
  const missing = fields.filter(([place, field]) => {
    const [part = '', key = ''] = field.file?.split('.') ?? []
    const values = (parts[part] ?? []).map((entry) => entry[key])
    const isMarked = 'erased' in field && !unmarked.has(place)
    return (
      field.file &&
      !(isMarked
        ? JSON.stringify(values).includes(word)
        : values.some((one) => one !== undefined && one !== null))
    )
  })
  expect(missing).toEqual([])
  expect(Object.keys(personDataParts).filter((part) => !parts[part]?.length)).toEqual([])
  const body = { when: 'with_person' as const }
  expect((await admin.call(eraseEvidence, { params: { orgId, userId }, body })).status).toBe(200)
  expect((await admin.call(deleteUser, { params: { orgId, userId } })).status).toBe(200)
  // These go with the removal already.
  const removed = new Set([
    'passkeys.name',
    'passkeys.credential_id',
    'devices.user_agent',
    'connection_people.subject',
    'connection_people.claims',
    'connection_sessions.sid',
    'sessions.viewing_reason',
  ])
  const marked = fields.map(([place]) => place).filter((place) => !unmarked.has(place))
  expect(await whereIs(word)).toEqual(marked.filter((place) => !removed.has(place)).toSorted())
  await seal(server.services.db)
  await query(`update users set deleted_at = deleted_at - interval '31 days' where id = $1`, [userId])
  await query(`update mails set created_at = created_at - interval '31 days'`)
  await query(`update operations set undo_until = now() - interval '1 day' where undo_until is not null`)
  await query(`update flows set expires_at = now() - interval '8 days'`)
  await query(`update idempotency_keys set created_at = now() - interval '2 days'`)
  await query(`update quiz_trials set changed_at = now() - interval '2 days'`)
  await (await startHousekeeping(server.services)).stop()
  const retained = fields.flatMap(([place, field]) => ('retained' in field ? [place] : []))
  expect(await whereIs(word)).toEqual(retained.filter((place) => !unmarked.has(place)).toSorted())
})
