import type { Services } from '../http/services.ts'
import { startLoop, type Loop } from '../loop.ts'
import { settleAllRules } from './settle.ts'

/** Works out what transactions have left undone: those that came second, that had many people, or that forgot. */
export function startSettling({ db, log }: Services): Loop {
  const failure = 'rules of groups could not be worked out; they will be tried again'
  return startLoop({ log, failure }, async () => {
    const waiting = await db.system.query<{ id: string }>({
      name: 'rules_waiting',
      text: `select organization_id as id from membership_stale union select organization_id from groups where rule_stale`,
    })
    for (const { id } of waiting.rows) await db.as({ organizationId: id }, (tx) => settleAllRules(tx, id))
    return 1_000
  })
}
