import { afterAll, expect, test } from 'vitest'
import { readSetAside, trySetAsideAgain } from '#contract/platform/aside.ts'
import { openImap } from '../../testing/mail/imap.ts'
import { report, startMailbox, type Sent } from '../../testing/mail/mailbox.ts'
import { administer } from '../../testing/setup.ts'
import { until } from '../../testing/until.ts'

const imap = await openImap()
const world = await startMailbox()
const { superadmin, stateOf } = world
afterAll(async () => {
  await world.close()
  await imap.close()
})

/** Reports that fit cannot be written. */
const poison = (when: string) =>
  administer(
    world.server.ownerUrl,
    `create or replace function poison() returns trigger language plpgsql as $$ begin raise 'poison'; end $$;
      create or replace trigger poison before insert on delivery_events for each row when (${when}) execute function poison()`,
  )

test('a mail that cannot be taken is set aside, those behind it are read, and it is taken once it can be', async () => {
  await world.name(imap)
  const [odd, half, fine] = (await world.sent(3)) as [Sent, Sent, Sent]
  await poison(`new.delivery_id = '${odd.id}'`)
  imap.put(report(odd.returnPath))
  // An emoji stands where what a mail server says is cut.
  const diagnostic = `smtp; ${'550 5.1.1 '.padEnd(493, 'y')}${'🎬'.repeat(9)}`
  imap.put(report(half.returnPath, { diagnostic }))
  imap.put(report(fine.returnPath))
  // A reading that was under way may have looked before they came, and the next one is a minute away.
  const isRead = async () => {
    await world.wake()
    return (await stateOf(fine))[0] === 'bounced'
  }
  await until(isRead, 20)
  expect((await world.mailbox())?.fault).toBe(null)
  const aside = async () => (await superadmin.call(readSetAside)).body.items
  const found = await until(async () => (await aside()).find(({ reason }) => reason === 'poison'), 30)
  expect([found.loop, imap.messages[0]?.flags.size]).toEqual(['returns', 0])
  await poison('false')
  await superadmin.call(trySetAsideAgain, { params: { asideId: found.id } })
  await until(async () => imap.messages[0]?.flags.has('\\Seen'), 20)
  expect((await stateOf(odd))[0]).toBe('bounced')
})
