import type { TestServer } from './server.ts'

/** A video that can be sent: one minute long, ready, without files. */
export async function addVideo(
  { services }: TestServer,
  organizationId: string,
  title = 'Fire drill',
): Promise<string> {
  const made = await services.db.system.query<{ id: string }>(
    `with video as (insert into videos (organization_id, title, state) values ($1, $2, 'ready') returning id, organization_id),
      version as (insert into video_versions (organization_id, video_id, number, file_name, size, duration_ms, ready_at)
        select organization_id, id, 1, 'clip.mp4', 1, 60000, now() from video returning id, video_id)
      select video_id as id, id as version from version`,
    [organizationId, title],
  )
  const id = made.rows[0]?.id ?? ''
  await services.db.system.query(
    'update videos set current_version_id = (select id from video_versions where video_id = $1) where id = $1',
    [id],
  )
  return id
}

/** Recipients `<prefix>-<n>@example.test`; answers their ids in that order. */
export async function addPeople(
  { services }: TestServer,
  organizationId: string,
  { count, prefix = 'guest' }: { count: number; prefix?: string },
): Promise<string[]> {
  const ids: string[] = []
  for (let from = 1; from <= count; from += mostAtOnce) {
    const made = await services.db.system.query<{ id: string }>(
      `insert into users (organization_id, name, email)
        select $1, initcap($4) || ' ' || n, $4 || '-' || n || '@example.test' from generate_series($2::int, $3::int) n returning id`,
      [organizationId, from, Math.min(count, from + mostAtOnce - 1), prefix],
    )
    ids.push(...made.rows.map((one) => one.id))
  }
  return ids
}

/** No statement may take longer than the product allows, also on a busy machine. */
const mostAtOnce = 10_000

export async function addGroup(
  { services }: TestServer,
  organizationId: string,
  userIds: string[],
): Promise<string> {
  const made = await services.db.system.query<{ id: string }>(
    `insert into groups (organization_id, name) values ($1, 'Group ' || gen_random_uuid()) returning id`,
    [organizationId],
  )
  const id = made.rows[0]?.id ?? ''
  await services.db.system.query(
    'insert into group_members (organization_id, group_id, user_id) select $1, $2, unnest($3::uuid[])',
    [organizationId, id, userIds],
  )
  return id
}
