import { useLocation } from '@tanstack/react-router'
import { Suspense } from 'react'
import { readSending } from '#contract/sending.ts'
import { adminRoles } from '#contract/roles.ts'
import { onDemand } from '#web/ui/onDemand.tsx'
import { useList } from '../api/query.ts'
import { useUser } from '../session/useSession.ts'

const HeldNotice = onDemand(async () => (await import('./HeldNotice.tsx')).HeldNotice)

/** Where one begins, sends, and settles it; other pages ask the server for nothing but what they show. */
const told = /^\/(dashboard|transmissions|settings)/

/** For whoever sends, for as long as nothing leaves the installation. */
export function SendingNotice() {
  const isTold = useLocation({ select: ({ pathname }) => told.test(pathname) })
  const { role } = useUser()
  return isTold && adminRoles.includes(role) ? <Held /> : null
}

function Held() {
  const { page } = useList(readSending, {}, { every: 60_000 })
  if (!page?.hold) return null
  return (
    <Suspense>
      <HeldNotice />
    </Suspense>
  )
}
