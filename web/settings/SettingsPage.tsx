import { IconEyeOff } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Suspense } from 'react'
import * as z from 'zod/mini'
import { paths } from '#web/paths.ts'
import { usePageSearch } from '#web/layout/page.ts'
import { useSession, useUser } from '#web/session/useSession.ts'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import { Tabs } from '#web/ui/Tabs.tsx'
import { tabs } from './tabs.ts'
import shapes from '#web/ui/look/shapes.module.css'

const search = z.object({ tab: z.catch(z.string(), '') })

/** A link counts as the present one only with the same search; by default less of it is enough. */
const exactly = { exact: true, includeSearch: true }

export function SettingsPage() {
  const [{ tab }] = usePageSearch(search)
  const { role, name, organizationId } = useUser()
  const isViewing = useSession().viewing !== null
  const open = tabs.filter(({ roles, isPersonal }) => roles.includes(role) && !(isViewing && isPersonal))
  const [first] = open
  const present = open.find(({ key }) => key === tab) ?? first
  if (!present || !first)
    return (
      <>
        <PageHead title="Settings" lead={`The settings of ${name}.`} />
        <div className={shapes.card}>
          <EmptyState title="These are theirs alone" icon={<IconEyeOff size={24} />}>
            Profile, security and sessions are not shown while you look through the eyes of somebody else.
          </EmptyState>
        </div>
      </>
    )
  const { panel: Panel } = present
  return (
    <>
      <PageHead title={present.title} lead={present.lead} />
      {open.length > 1 && (
        <Tabs label="Settings">
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
          {role === 'admin' && organizationId !== null && (
            <>
              <Link to={paths.systems(organizationId)}>Other systems</Link>
              <Link to={paths.organizationSignIn(organizationId)}>Sign-in</Link>
            </>
          )}
          <Link to={paths.reportSchedules()}>Reports by mail</Link>
          <Link to={paths.recentlyRemoved()}>Recently removed</Link>
        </Tabs>
      )}
      <Suspense key={present.key} fallback={<Bone height={480} />}>
        <Panel />
      </Suspense>
    </>
  )
}
