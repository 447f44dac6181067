import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { readOrganization } from '#contract/directory/organizations.ts'
import { prefetch, useEndpoint } from '#web/api/query.ts'
import { PageHead } from '#web/ui/PageHead.tsx'
import { toast } from '#web/ui/feedback/toasts.ts'
import { usePathParams, type LoadInput } from '../../layout/page.ts'
import { paths } from '../../paths.ts'
import { organizationCrumbs } from '../crumbs.tsx'
import type { Owner } from './calls.ts'
import { NewConnection } from './ConnectionForm.tsx'
import { Home } from './Home.tsx'

export function load({ params: { orgId } }: LoadInput<'/organizations/$orgId/connections/create'>) {
  return prefetch(readOrganization, { params: { orgId } })
}

export function ConnectionCreate() {
  const { orgId } = usePathParams('/organizations/$orgId/connections/create')
  const organization = useEndpoint(readOrganization, { params: { orgId } })
  return (
    <Create owner={orgId} crumbs={[...organizationCrumbs(organization), <Home key="home" owner={orgId} />]} />
  )
}

/** The page of a new connection, whosever it is. */
export function Create({ owner, crumbs }: { owner: Owner; crumbs: readonly ReactNode[] }) {
  const navigate = useNavigate()
  return (
    <>
      <PageHead
        title="Set up a connection"
        lead="First what your provider gives you. Then you get the addresses to enter there, try it, and choose who may come in."
        crumbs={crumbs}
      />
      <NewConnection
        owner={owner}
        onMade={async ({ id, name }) => {
          toast.success(`${name} was saved. Now enter its addresses at your provider.`)
          await navigate({ to: paths.connection(owner, id), replace: true })
        }}
      />
    </>
  )
}
