import { Link } from '@tanstack/react-router'
import { Suspense } from 'react'
import * as z from 'zod/mini'
import { paths } from '#web/paths.ts'
import { usePageSearch } from '#web/shell/page.ts'
import { useUser } from '#web/shell/useSession.ts'
import { PageHead } from '#web/ui/PageHead.tsx'
import { Bone } from '#web/ui/Skeletons.tsx'
import { tabs } from './tabs.ts'
import './settings.css'

const search = z.object({ tab: z.catch(z.string(), '') })

/** A link counts as the present one only with the same search; by default less of it is enough. */
const exactly = { exact: true, includeSearch: true }

export function SettingsPage() {
  const [{ tab }] = usePageSearch(search)
  const { role } = useUser()
  const open = tabs.filter(({ roles }) => roles.includes(role))
  const [first] = open
  const present = open.find(({ key }) => key === tab) ?? first
  if (!present || !first) return null
  const { panel: Panel } = present
  return (
    <>
      <PageHead title={present.title} lead={present.lead} />
      {open.length > 1 && (
        <nav className="tabs" aria-label="Settings">
          {open.map(({ key, label }) => (
            <Link
              key={key}
              to={paths.settings()}
              search={key === first.key ? {} : { tab: key }}
              activeOptions={exactly}
            >
              {label}
            </Link>
          ))}
        </nav>
      )}
      <Suspense key={present.key} fallback={<Bone height={480} />}>
        <Panel />
      </Suspense>
    </>
  )
}
