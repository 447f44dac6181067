import type { Services } from '../http/services.ts'
import { settleAllRules } from './settle.ts'

/** Milliseconds between two looks. */
const pause = 1_000

/** Works out what transactions have left undone: those that came second, that had many people, or that forgot. */
export function startSettling(services: Services): { stop(): Promise<void> } {
  const life: { stopped: boolean; timer?: NodeJS.Timeout } = { stopped: false }
  let running = Promise.resolve()

  async function turn(): Promise<void> {
    await settleEverywhere(services).catch((error: unknown) => {
      services.log.error({ err: error }, 'rules of groups could not be worked out; they will be tried again')
    })
    if (!life.stopped) life.timer = setTimeout(again, pause)
  }

  function again(): void {
    running = turn()
  }

  again()
  return {
    async stop() {
      life.stopped = true
      clearTimeout(life.timer)
      await running
    },
  }
}

async function settleEverywhere({ db }: Services): Promise<void> {
  const waiting = await db.system.query<{ id: string }>({
    name: 'rules_waiting',
    text: `select organization_id as id from membership_stale union select organization_id from groups where rule_stale`,
  })
  for (const { id } of waiting.rows) await db.as({ organizationId: id }, (tx) => settleAllRules(tx, id))
}
