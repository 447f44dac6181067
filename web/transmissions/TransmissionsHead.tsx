import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { paths } from '#web/paths.ts'
import { PageHead } from '#web/ui/PageHead.tsx'
import { Tabs } from '#web/ui/Tabs.tsx'

const tabs = [
  { label: 'Sent and planned', to: paths.transmissions() },
  { label: /* text */ 'Templates', to: paths.messageTemplates() },
  { label: 'Barred addresses', to: paths.barredAddresses() },
] as const

const exactly = { exact: true, includeSearch: false }

type Props = {
  /** This is the name of a page within transmissions; the first page has none. */
  part?: string
  actions?: ReactNode
  more?: ReactNode
}

/** Draws the same head above what is sent, what it begins with, and who gets none of it. */
export function TransmissionsHead(props: Props) {
  return (
    <>
      <PageHead title="Transmissions" {...props} />
      <Tabs label="About transmissions">
        {tabs.map(({ label, to }) => (
          <Link key={to} to={to} activeOptions={exactly}>
            {label}
          </Link>
        ))}
      </Tabs>
    </>
  )
}
