import {
  createTransmission,
  changeTransmission,
  readTransmission,
} from '#contract/transmissions/transmissions.ts'
import { addPeople, addVideo } from '../audience.ts'
import { until } from '../until.ts'
import { patiently, type Scene, type Work } from './work.ts'

const settledWithin = 600

/** A message to so many people leaves during most of the time, by a mail server that breaks off and refuses at every step. */
export async function sending(
  scene: Scene,
  { recipients, seconds }: { recipients: number; seconds: number },
): Promise<Work> {
  const { faults, sink } = scene
  const { server } = scene.cluster
  const { orgId, admin } = await scene.newOrganization()
  await addPeople(server, orgId, { count: recipients, prefix: 'told' })
  const videoId = await addVideo(server, orgId)
  const rate = Math.max(1, Math.round(recipients / (0.7 * seconds)))
  await server.query('update send_lanes set rate = $1, ceiling = $1, burst = $1, tokens = 0', [rate])
  let transmissionId = ''

  const settle = async () => {
    await patiently(() =>
      server.query(`update deliveries set due_at = now() where state = 'deferred' and transmission_id = $1`, [
        transmissionId,
      ]),
    )
    const { body } = await admin.call(readTransmission, { params: { transmissionId } })
    if (body.state === 'paused')
      await admin.call(changeTransmission, {
        params: { transmissionId },
        body: { action: 'resume', version: body.version },
      })
    return body.state === 'completed'
  }

  return {
    async run() {
      const { status, body, problem } = await admin.call(createTransmission, {
        body: { accountId: orgId, videoId, subject: 'Watch', body: 'Please.', audience: { everyone: true } },
      })
      if (status !== 201) return void faults.push(`a message was refused: ${JSON.stringify(problem)}`)
      transmissionId = body.id
    },
    async judge() {
      // Nothing was begun, which is told already.
      if (transmissionId === '') return {}
      await until(settle, settledWithin).catch(() => faults.push('a message did not come to its end'))
      const ledger = await server.query<{ id: string; state: string }>(
        'select id, state from deliveries where transmission_id = $1',
        [transmissionId],
      )
      const arrived = new Map<string, number>()
      for (const { deliveryId } of sink.received) arrived.set(deliveryId, (arrived.get(deliveryId) ?? 0) + 1)
      const states: Record<string, number> = {}
      for (const { id, state } of ledger) {
        const times = arrived.get(id) ?? 0
        states[`messages ${state}`] = (states[`messages ${state}`] ?? 0) + 1
        if (times > 1) faults.push(`message ${id} arrived ${times} times`)
        if (state === 'accepted' ? times !== 1 : state !== 'unknown' && times > 0)
          faults.push(`message ${id} is ${state}, and arrived ${times} times`)
        if (['queued', 'sending', 'deferred', 'skipped', 'cancelled', 'expired'].includes(state))
          faults.push(`message ${id} is ${state}`)
      }
      const own = new Set(ledger.map(({ id }) => id))
      // The administrator is one of the people.
      if (ledger.length !== recipients + 1)
        faults.push(`${recipients} people were to be told, and ${ledger.length} were`)
      if (sink.received.some(({ deliveryId }) => deliveryId !== '' && !own.has(deliveryId)))
        faults.push('a mail arrived that no message knows')
      return states
    },
  }
}
