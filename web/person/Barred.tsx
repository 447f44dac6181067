import { Link } from '@tanstack/react-router'
import { listBarredAddresses } from '#contract/transmissions/barred-addresses.ts'
import { barWords } from '#contract/transmissions/barred-labels.ts'
import type { User } from '#contract/directory/users.ts'
import { useList } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { Notice } from '#web/ui/feedback/Notice.tsx'

/** What keeps messages from a person: that of their address, and what they want themselves. */
export function Barred({ orgId, user: { email } }: { orgId: string; user: User }) {
  const { page } = useList(listBarredAddresses, { params: { orgId }, query: { q: email } })
  const bars = page?.items.filter(({ address }) => address === email) ?? []
  if (bars.length === 0) return null
  return (
    <Notice
      tone="warning"
      action={
        <Link to={paths.barredAddresses()} search={{ organization: orgId, q: email }}>
          See barred addresses
        </Link>
      }
    >
      {bars.map((one) => (
        <p key={one.id}>
          {email} is barred: {barWords(one)}
        </p>
      ))}
    </Notice>
  )
}
