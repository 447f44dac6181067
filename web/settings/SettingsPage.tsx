import { Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import * as z from 'zod/mini'
import { paths } from '#web/paths.ts'
import { usePageSearch } from '#web/shell/page.ts'
import { useUser } from '#web/shell/useSession.ts'
import { PageHead } from '#web/ui/PageHead.tsx'
import { Bone } from '#web/ui/Skeletons.tsx'
import { Profile } from './Profile.tsx'
import './settings.css'

const Outbox = lazy(async () => ({ default: (await import('./Outbox.tsx')).Outbox }))

export const search = z.object({ tab: z.catch(z.enum(['profile', 'outbox']), 'profile') })

/** A link counts as the present one only with the same search; by default less of it is enough. */
const exactly = { exact: true, includeSearch: true }

export function SettingsPage() {
  const [{ tab }] = usePageSearch(search)
  const isSuperadmin = useUser().role === 'superadmin'
  const isOutbox = tab === 'outbox' && isSuperadmin
  return (
    <>
      <PageHead
        title={isOutbox ? 'Outbox' : 'Settings'}
        lead={
          isOutbox
            ? 'Mails that rest here because no mail server is configured.'
            : 'Who you are in this console.'
        }
      />
      {isSuperadmin && (
        <nav className="tabs" aria-label="Settings">
          <Link to={paths.settings()} activeOptions={exactly}>
            Profile
          </Link>
          <Link to={paths.settings()} search={{ tab: 'outbox' }} activeOptions={exactly}>
            Outbox
          </Link>
        </nav>
      )}
      {isOutbox ? (
        <Suspense fallback={<Bone height={480} />}>
          <Outbox />
        </Suspense>
      ) : (
        <Profile />
      )}
    </>
  )
}
