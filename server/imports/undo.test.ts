import { expect, test } from 'vitest'
import { listGroups } from '#contract/directory/groups.ts'
import { updateUser } from '#contract/directory/users.ts'
import { importing, withImports } from '../testing/imports.ts'
import type { Person, TestServer } from '../testing/server.ts'

let server: TestServer
let orgId: string
let admin: Person
withImports((directory) => ({ server, orgId, admin } = directory))

const { params, rehearsed, run, undo, rowsOf, create, others, named, query } = importing(() => ({
  server,
  orgId,
  admin,
}))

test('undo removes who came, gives back what was there field by field, and leaves alone what was changed since', async () => {
  const present = await create('Present', { externalId: 'p-1', phone: '1' })
  const { id } = await rehearsed(
    'name,email,external id,phone,groups\nNew,new@example.test,n-1,,Fresh\nTouched,touched@example.test,,,\nPresent P,p@example.test,p-1,2,Fresh\n',
    { createGroups: true },
  )
  await run(id)
  const touched = await named('Touched')
  const change = (userId: string, body: { name: string; email: string; phone?: string }) =>
    admin.call(updateUser, { params: { orgId, userId }, body })
  await change(touched?.id ?? '', { name: 'Touched', email: 'touched@example.test', phone: '9' })
  await change(present.id, { name: 'Present P', email: 'p@example.test', phone: '3' })
  const { undoCounts } = await undo(id)
  expect(undoCounts).toEqual({ undone: 1, changed_since: 2 })
  expect(await others()).toEqual(['Present', 'Touched'])
  expect(await named('Present')).toMatchObject({ email: 'present@example.test', phone: '3', groups: [] })
  expect((await admin.call(listGroups, { params: params() })).body.items).toEqual([])
  expect((await rowsOf(id)).map(({ reason }) => reason)).toEqual([
    null,
    'Changed since: phone.',
    'Changed since: phone.',
  ])
  const again = await rehearsed('name,email,external id\nNew,new@example.test,n-1\n')
  expect(again.counts).toEqual({ created: 1 })
})

test('undo keeps whoever was sent something', async () => {
  const { id } = await rehearsed('name,email\nSent,sent@example.test\n')
  await run(id)
  const person = await named('Sent')
  await query(
    `with v as (insert into videos (organization_id, title, state) values ($1, 'V', 'ready') returning id),
      n as (insert into video_versions (organization_id, video_id, number, file_name, size, received_bytes, uploaded_at, duration_ms, ready_at)
        select $1, id, 1, 'v.mp4', 1, 1, now(), 60000, now() from v returning id, video_id),
      t as (insert into transmissions (organization_id, state, subject, body, video_id, version_id, sender_id, sender_name, audience)
        select $1, 'completed', 'S', 'b', video_id, id, $2, 'S', '{}' from n returning id)
      insert into deliveries (transmission_id, organization_id, user_id, address, state) select id, $1, $2, 'a@b.test', 'accepted' from t`,
    [orgId, person?.id],
  )
  expect((await undo(id)).undoCounts).toEqual({ changed_since: 1 })
  expect((await rowsOf(id))[0]?.reason).toBe('Something was sent to this person.')
  expect(await named('Sent')).toBeDefined()
})
