import type { TestServer } from './server.ts'
import { administer } from './setup.ts'

/** What the training matrix of an organization stands on that lies at an instant. */
const instants = {
  users: ['created_at', 'deleted_at'],
  videos: ['created_at', 'deleted_at'],
  transmissions: ['due_at'],
  obligations: ['counts_from', 'answers_from', 'due_at', 'waived_until', 'valid_until'],
  training_waivers: ['until'],
  quiz_attempts: ['completed_at'],
  training_cells: ['late_at', 'waived_until', 'expires_at', 'since'],
  past_training_cells: ['late_at', 'waived_until', 'expires_at', 'since', 'until'],
}

/** All of it becomes a day older. */
export async function dayPasses(server: TestServer, organizationId: string): Promise<void> {
  const olden = Object.entries(instants).map(([table, columns]) => {
    const set = columns.map((column) => `${column} = ${column} - interval '1 day'`)
    // The day of a message takes that of its obligations along.
    const which = table === 'obligations' ? "and counts_from > '-infinity'" : ''
    return `update ${table} set ${set.join(', ')} where organization_id = '${organizationId}' ${which};`
  })
  await administer(
    server.ownerUrl,
    `begin; alter table training_cells disable trigger keep_past_update; ${olden.join(' ')}
      alter table training_cells enable trigger keep_past_update; commit`,
  )
}
