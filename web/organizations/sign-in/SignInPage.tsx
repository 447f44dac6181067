import { readOrganization } from '#contract/directory/organizations.ts'
import { listConnections } from '#contract/identity/sso.ts'
import { prefetch, useEndpoint } from '#web/api/query.ts'
import { PageHead } from '#web/ui/PageHead.tsx'
import { usePathParams, type LoadInput } from '../../layout/page.ts'
import { organizationCrumbs } from '../crumbs.tsx'
import { SignIn } from './SignIn.tsx'

export function load({ params }: LoadInput<'/organizations/$orgId/sign-in'>) {
  const { orgId } = params
  return Promise.all([
    prefetch(readOrganization, { params: { orgId } }),
    prefetch(listConnections, { params: { orgId } }),
  ])
}

/** How the people of one organization sign in by what their company has for it. */
export function SignInPage() {
  const { orgId } = usePathParams('/organizations/$orgId/sign-in')
  const organization = useEndpoint(readOrganization, { params: { orgId } })
  return (
    <>
      <PageHead
        title="Sign-in"
        lead={`How people of ${organization.name} sign in to the console.`}
        crumbs={organizationCrumbs(organization)}
      />
      <SignIn owner={orgId} />
    </>
  )
}
