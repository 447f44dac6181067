import { expect, type Page } from '@playwright/test'
import { countDeliveries, listDeliveries } from '#contract/transmissions/deliveries.ts'
import type { EndpointDefinition, Reply } from '#contract/endpoint.ts'
import { listEvidence, readEvidence } from '#contract/evidence/evidence.ts'
import { listMessageReports } from '#contract/reports/reports.ts'
import { trainingLetters, type Standing, type TrainingState } from '#contract/matrix/standing.ts'
import { trainingLabels } from '#contract/matrix/training-labels.ts'
import { listTraining } from '#contract/matrix/training.ts'
import { listTransmissions, type Delivery, type Transmission } from '#contract/transmissions/transmissions.ts'
import type { Client } from './client.ts'
import { drawn } from './console.ts'
import { demo } from './demo.ts'
import { thingsOf } from './pictures/things.ts'

type Said = {
  orgId: string
  /** Every transmission that was sent, with its recipients. */
  sent: (Transmission & { recipients: Delivery[] })[]
  /** What the matrix says, by person and video. */
  matrix: Map<string, TrainingState>
}

/** Whether all places say the same of one person and one video, and of one transmission: read on the demo, of everybody. */
const test = demo.extend<object, { said: Said }>({
  said: [
    async ({ shared: product, admin }, use) => {
      const { orgId } = (await thingsOf(product, admin)).ids
      const all = await allOf(admin, listTransmissions)
      const sent: Said['sent'] = []
      for (const transmission of all.filter(isSent)) {
        const recipients = await allOf(admin, listDeliveries, { transmissionId: transmission.id })
        sent.push({ ...transmission, recipients })
      }
      await use({ orgId, sent, matrix: await readMatrix(admin, orgId) })
    },
    { scope: 'worker', timeout: 600_000 },
  ],
})
const isSent = ({ state, video }: Transmission) =>
  (state === 'completed' || state === 'paused') && video !== null
const keyOf = (userId: string, videoId: string) => `${userId} ${videoId}`

type Listing = EndpointDefinition & { reply: unknown }
type ItemOf<E extends EndpointDefinition> = Reply<E> extends { items: (infer Item)[] } ? Item : never

/** Every page of a list. */
async function allOf<E extends Listing>(
  admin: Client,
  list: E,
  params: Record<string, string> = {},
): Promise<ItemOf<E>[]> {
  const found: ItemOf<E>[] = []
  for (;;) {
    const query = { offset: found.length, limit: 100 }
    const { items, total } = (await admin.call(list, { params, query })) as unknown as {
      items: ItemOf<E>[]
      total: number
    }
    found.push(...items)
    if (items.length === 0 || found.length >= total) return found
  }
}

async function readMatrix(admin: Client, orgId: string): Promise<Said['matrix']> {
  const matrix: Said['matrix'] = new Map()
  const byLetter = new Map<string, TrainingState>(
    Object.entries(trainingLetters).map(([state, letter]) => [letter, state as TrainingState]),
  )
  for (let offset = 0; ; offset += 100) {
    const { items, videoIds } = await admin.call(listTraining, {
      params: { orgId },
      query: { videos: 'any', offset, limit: 100 },
    })
    for (const { id, cells } of items)
      for (const [at, videoId] of videoIds.entries()) {
        const state = byLetter.get(cells[at] ?? '')
        if (state) matrix.set(keyOf(id, videoId), state)
      }
    if (items.length < 100) return matrix
  }
}

/** Tells where somebody stands with a video otherwise than in the matrix, of those who stand in it. */
const unlikeIn =
  (matrix: Said['matrix']) =>
  (where: string, key: string, standing: Standing | null): string[] => {
    const wanted = matrix.get(key)
    return wanted === undefined || wanted === standing?.state
      ? []
      : [`${where} ${key}: ${standing?.state}, in the matrix ${wanted}`]
  }

test('everybody stands among the recipients of every transmission as in the matrix', ({
  said: { sent, matrix },
}) => {
  const unlike = unlikeIn(matrix)
  const all = sent.flatMap(({ recipients, video }) =>
    recipients.map(({ user, standing }) => ({ key: keyOf(user.id, video?.id ?? ''), standing })),
  )
  expect(all.length).toBeGreaterThan(500)
  expect(all.filter(({ key }) => matrix.has(key)).length).toBeGreaterThan(500)
  expect(all.flatMap(({ key, standing }) => unlike('transmission', key, standing))).toEqual([])
})

test('and as on their own page, and on the page of what they watched', async ({
  admin,
  said: { orgId, matrix },
}) => {
  const unlike = unlikeIn(matrix)
  const people = [...new Set([...matrix.keys()].map((key) => key.split(' ')[0] ?? ''))]
  const wrong: string[] = []
  let n = 0
  for (const [at, userId] of people.entries()) {
    for (const { video, standing } of await allOf(admin, listEvidence, { orgId, userId })) {
      n += 1
      wrong.push(...unlike('person', keyOf(userId, video.id), standing))
      if (at % 8 > 0) continue
      const evidence = await admin.call(readEvidence, { params: { orgId, userId, videoId: video.id } })
      wrong.push(...unlike('evidence', keyOf(userId, video.id), evidence.standing))
    }
  }
  expect(n).toBeGreaterThan(500)
  expect(wrong).toEqual([])
})

test('the figures of a transmission add up to its recipients, and their words to the figures', async ({
  admin,
  said: { sent },
}) => {
  for (const { id, name, counts, recipients: all } of sent) {
    const figures = await admin.call(countDeliveries, { params: { transmissionId: id } })
    const left = counts.skipped + counts.cancelled
    const { all: finished, unfinished, excused } = figures
    const isLeft = ({ state, completedAt }: Delivery) =>
      completedAt === null && (state === 'skipped' || state === 'cancelled')
    expect.soft(finished + unfinished + excused + all.filter(isLeft).length, name).toBe(all.length)
    expect.soft(all.filter(isLeft).length, name).toBeLessThanOrEqual(left)
    // Whoever has not completed it is nowhere called done or excused.
    const open = all.filter((one) => one.completedAt === null && one.excused === null && !isLeft(one))
    expect.soft(open.length, name).toBe(unfinished)
    expect
      .soft(
        open.map(({ standing }) => standing?.state).filter((state) => isOver.has(state ?? '')),
        name,
      )
      .toEqual([])
  }
})
const isOver: ReadonlySet<string> = new Set(['completed', 'passed', 'waived'])

test('the report on messages and the list of transmissions have one number of recipients', async ({
  admin,
  said: { sent },
}) => {
  const reported = await allOf(admin, listMessageReports)
  const byId = new Map(reported.map((one) => [one.id, one.recipients]))
  const listed = sent.filter(({ id }) => byId.has(id))
  expect(listed.length).toBeGreaterThan(3)
  for (const { id, name, audienceTotal, counts } of listed)
    expect.soft(byId.get(id), name).toBe(audienceTotal - counts.skipped)
})

const word = (state: TrainingState) => trainingLabels[state].word

test('the screens show these words, to whom is asked again, too', async ({
  admin,
  said: { orgId, sent },
  open,
}) => {
  const page = await open(admin)
  const again = sent.flatMap((transmission) =>
    transmission.recipients
      .filter(({ completedAt, standing }) => completedAt !== null && standing?.state === 'overdue')
      .map((delivery) => ({ transmission, delivery })),
  )
  const [found] = again
  if (!found) throw new Error('Nobody is asked again and late')
  const { transmission, delivery } = found
  const { user } = delivery
  const videoId = transmission.video?.id ?? ''
  const title = transmission.video?.title ?? ''
  const said = new RegExp(`${word('overdue')}\\s*asked again, due`)
  await visit(page, `/transmissions/${transmission.id}?q=${encodeURIComponent(user.email)}`)
  await expect(page.getByRole('row', { name: user.name })).toContainText(said)
  await visit(page, `/organizations/${orgId}/users/${user.id}`)
  await expect(page.getByRole('row', { name: title })).toContainText(said)
  await visit(page, `/organizations/${orgId}/users/${user.id}/videos/${videoId}`)
  await expect(page.locator('main [data-state=overdue]')).toContainText(word('overdue'))
  await expect(page.getByRole('main')).toContainText('asked again, due')
  await visit(page, `/reports/training-matrix?q=${encodeURIComponent(user.email)}`)
  await expect(page.getByRole('row', { name: user.name })).toContainText(word('overdue'))
})

async function visit(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.locator('main h1').first().waitFor()
  await drawn(page)
}

test('nothing says “0 of 0”', async ({ admin, said: { sent }, open }) => {
  const page = await open(admin)
  for (const address of ['/dashboard', '/transmissions', '/reports/message-analytics', '/assignments']) {
    await visit(page, address)
    await expect.soft(page.locator('main'), address).not.toContainText(/\b0 of 0\b/)
  }
  for (const { id, name } of await allOf(admin, listTransmissions)) {
    if (sent.slice(12).some((one) => one.id === id)) continue
    await visit(page, `/transmissions/${id}`)
    await expect.soft(page.locator('main'), name).not.toContainText(/\b0 of 0\b/)
  }
})
