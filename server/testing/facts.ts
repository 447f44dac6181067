import type { EndpointDefinition } from '#contract/endpoint.ts'
import { draft, question } from './quizzes.ts'
import { samples, type Facts, type Input, type Sample } from './requests.ts'
import type { Send, TestServer } from './server.ts'

/** An organization with one of everything. */
export async function onePerThing(server: TestServer): Promise<Facts> {
  const orgId = await server.organization('Organization A')
  const userId = (await server.person(null, orgId)).id
  const adminId = (await server.person('admin', orgId)).id
  const found = await server.services.db.system.query<Facts>({
    // Named, so that it is planned once and not more than a thousand times.
    name: 'facts',
    text: `with g as (insert into groups (organization_id, name) values ($1, 'Group of A') returning id),
      p as (insert into projects (organization_id, name) values ($1, 'Project of A') returning id),
      v as (insert into videos (organization_id, project_id, title, state) select $1, id, 'Sample of A', 'ready' from p returning id),
      n as (insert into video_versions (organization_id, video_id, number, file_name, size, received_bytes, uploaded_at, duration_ms, ready_at)
        select $1, id, 1, 'v.mp4', 1, 1, now(), 60000, now() from v returning id, video_id),
      t as (insert into transmissions (organization_id, state, subject, body, video_id, version_id, sender_id, sender_name, audience)
        select $1, 'sending', 'Subject of A', 'b', video_id, id, $2, 'S', '{"userIds":[],"groupIds":[],"everyone":true}' from n returning id),
      s as (insert into sessions (user_id, token_hash, idle_expires_at, expires_at)
        values ($2, sha256(gen_random_uuid()::text::bytea), now() + interval '1 hour', now() + interval '1 day') returning id),
      y as (insert into play_sessions (id, organization_id, video_id, version_id, user_id, viewer_key, started_at, last_at)
        select uuidv7(), $1, video_id, id, $2, 'recipient:' || $2, now(), now() from n returning id),
      d as (insert into deliveries (transmission_id, organization_id, user_id, address, state)
        select id, $1, $2, 'a@example.test', 'unknown' from t returning id),
      i as (insert into invitations (organization_id, email, role, group_ids, token_hash, invited_by_name, expires_at)
        select $1, 'invited@example.test', 'groupadmin', array[id], sha256($1::text::bytea), 'Inviter of A', now() + interval '1 day'
        from g returning id),
      b as (insert into operations (organization_id, kind, state, created_by_name, undo_until)
        values ($1, 'users.remove', 'done', 'Remover of A', now() + interval '1 day') returning id),
      f as (insert into custom_fields (organization_id, key, label, type) values ($1, 'a', 'Field of A', 'text') returning id),
      r as (insert into custom_fields (organization_id, key, label, type, deleted_at)
        values ($1, 'b', 'Removed field of A', 'text', now()) returning id),
      w as (insert into saved_views (organization_id, owner_id, list, name, search, shared)
        values ($1, $2, 'users', 'View of A', '{"state":"invited"}', true) returning id),
      l as (insert into report_schedules (organization_id, owner_id, report, view, period, rhythm, weekday, month_day, hour,
          time_zone, formats, next_at)
        select $1, $2, 'user-engagement', jsonb_build_object('videoId', id), '7d', 'weekly', 1, 1, 7, 'UTC', '{}', now() + interval '1 day'
        from v returning id),
      u as (insert into operations (organization_id, kind, state, params, created_by_name)
        values ($1, 'users.import', 'draft', '{"subject":"people of A.csv"}', 'Importer of A') returning id),
      m as (insert into imports (operation_id, organization_id, file_name, delimiter, header, options)
        select id, $1, 'people of A.csv', ',', array['Name of A'],
          '{"matchBy":"either","existing":"update","emptyCells":"keep","createGroups":false,"role":null,"invite":false}' from u),
      c as (insert into certificates (organization_id, number, user_id, video_id, version_id, body, body_hash, hash, key_id, signature)
        select $1, 1, $2, video_id, id, '{"person":{"name":"Person of A"}}', '', '', '', '' from n returning id),
      q as (insert into quizzes (organization_id, video_id, draft) select $1, id, $3::jsonb from v returning id, video_id, draft),
      z as (insert into quiz_versions (organization_id, quiz_id, number, settings, max_score)
        select $1, id, 1, draft -> 'settings', 1 from q returning id),
      x as (insert into quiz_items (organization_id, version_id, key, position, kind, points, question)
        select $1, z.id, uuidv7(), 0, 'single', 1, q.draft #> '{questions,0}' from z, q returning id),
      a as (insert into quiz_attempts (organization_id, quiz_id, version_id, video_id, viewer_key, user_id, session_id, number, seed, max_score)
        select $1, q.id, z.id, q.video_id, 'recipient:' || $2::text, $2, gen_random_uuid(), 1, 1, 1 from z, q returning id)
      select $1::uuid as "orgId", $2::uuid as "userId", g.id as "groupId", p.id as "projectId", v.id as "videoId",
        n.id as "versionId", t.id as "transmissionId", d.id as "deliveryId",
        s.id as "sessionId", i.id as "invitationId", b.id as "operationId",
        f.id as "fieldId", r.id as "removedFieldId", w.id as "viewId",
        u.id as "importId", y.id as "playId", c.id as "certificateId", z.id as "quizVersionId", x.id as "quizItemId", a.id as "attemptId", l.id as "scheduleId"
          from g, p, v, n, t, d, s, i, b, f, r, w, u, y, c, z, x, a, l`,
    values: [orgId, userId, JSON.stringify(draft([question({ prompt: 'Question of A' })]))],
  })
  const [all] = found.rows
  if (!all) throw new Error('nothing was inserted')
  await server.services.db.system.query(
    `with joined as (insert into group_members (organization_id, group_id, user_id) values ($1, $2, $3))
     update videos set current_version_id = $4 where id = $5`,
    [all.orgId, all.groupId, all.userId, all.versionId, all.videoId],
  )
  return { ...all, adminId }
}

/** Sends the request of a sample. */
export async function ask(endpoint: EndpointDefinition, input: Input, send: Send) {
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_all, key: string) => input.params?.[key] ?? key)
  const query = new URLSearchParams(input.query)
  const url = `/api${path}${query.size > 0 ? `?${query.toString()}` : ''}`
  const { body, headers } = input
  return send(endpoint.method, url, {
    ...(body ? { body } : {}),
    ...(headers ? { headers } : {}),
  })
}

export function sampleOf(endpoint: EndpointDefinition): Sample {
  const sample = samples[endpoint.name]
  if (!sample) throw new Error(`${endpoint.name} has no sample request in this test`)
  return sample
}
