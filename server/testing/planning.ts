import { withMessagesDue } from '../assignments/messages.ts'
import { planAssignments } from '../assignments/plan.ts'
import type { TestServer } from './server.ts'
import { until } from './until.ts'

const open = `select 1 from assignments a join organizations o on o.id = a.organization_id and o.state = 'active' and o.deleted_at is null
    where a.state = 'active' and a.planned_at is null
  union all select 1 from obligations where not counted`

/**
 * As when a minute has passed. A video whose results are just being written is passed over, and an assignment that the server's own look
 * holds, so that it may take more than one.
 */
export async function planNow({ services }: TestServer): Promise<void> {
  const { system } = services.db
  await system.query('update assignments set planned_at = null')
  await until(async () => {
    await planAssignments(services)
    return (await system.query(open)).rowCount === 0 && (await withMessagesDue(services.db)).length === 0
  }, 20)
}

/** Until every message that was due has left. */
export async function sentAll({ services }: TestServer): Promise<void> {
  const leaving = `select 1 from transmissions where state in ('scheduled', 'preparing', 'sending')`
  await until(async () => (await services.db.system.query(leaving)).rowCount === 0, 20)
}

/** As when a minute has passed; waits for what is sent then. */
export async function minutePasses(server: TestServer): Promise<void> {
  await planNow(server)
  await sentAll(server)
}
