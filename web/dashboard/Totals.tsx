import { readDashboard } from '#contract/directory/organizations.ts'
import { useEndpoint } from '../api/query.ts'
import { useUser } from '../session/useSession.ts'
import { formatNumber, formatWatched, plural } from '../ui/format.ts'
import { Numbers } from './sections/Numbers.tsx'
import { rhythm } from './sections/place.ts'
import { sentNumber, shareOfMessages } from './sections/totals.ts'

/** Everything since the beginning. */
export function Totals() {
  const { role } = useUser()
  const numbers = useEndpoint(readDashboard, {}, { every: rhythm.figures })
  const { organizations, users, groups, videos, transmissions, recipients, opened, completed } = numbers
  const people = plural(groups, 'group')
  return (
    <Numbers
      id="totals"
      title="Since the beginning"
      numbers={[
        {
          label: 'People',
          value: formatNumber(users),
          hint: role === 'superadmin' ? `${people} in ${plural(organizations, 'organization')}` : people,
        },
        { label: 'Videos', value: formatNumber(videos), hint: plural(transmissions, 'transmission') },
        sentNumber(numbers, 'One for each recipient'),
        { label: 'Opened', value: formatNumber(opened), hint: shareOfMessages(opened, recipients) },
        { label: 'Completed', value: formatNumber(completed), hint: shareOfMessages(completed, recipients) },
        { label: 'Time watched', value: formatWatched(numbers.watchedMs), hint: 'Repeats counted' },
      ]}
    />
  )
}
