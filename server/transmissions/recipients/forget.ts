import { codeOnly, type Erase } from '../../platform/erasing.ts'
import { sql } from '../../platform/db/sql.ts'

/** Takes their addresses out of messages, and out of what mail servers said of them. */
export const eraseDeliveries: Erase = ({ gone }) => [
  sql`update deliveries d set address = r.address, reason = ${codeOnly('d.reason')}, provider_ref = ${codeOnly('d.provider_ref')},
      updated_at = now() from ${gone} where d.user_id = r.id`,
  sql`update delivery_attempts a set response = ${codeOnly('a.response')} from ${gone}, deliveries d
    where d.user_id = r.id and a.delivery_id = d.id`,
]
