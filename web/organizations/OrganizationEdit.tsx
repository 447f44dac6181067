import { Button } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { Suspense } from 'react'
import { readOrganization } from '#contract/directory/organizations.ts'
import { fetchFresh, useEndpoint } from '../api/query.ts'
import { paths } from '../paths.ts'
import { usePathParams, type LoadInput } from '../layout/page.ts'
import { PageHead } from '../ui/PageHead.tsx'
import { onDemand } from '../ui/browser/onDemand.tsx'
import { Bone } from '../ui/feedback/Skeletons.tsx'
import { organizationCrumbs } from './crumbs.tsx'
import { EditOrganizationForm } from './forms/OrganizationForms.tsx'
import { LogoField } from './settings/LogoField.tsx'
import { HistoryLink } from './HistoryLink.tsx'
import { StateCard } from './OrganizationState.tsx'
import { useVisit } from '../layout/useVisit.ts'
import shapes from '#web/ui/look/shapes.module.css'

const Sender = onDemand(async () => (await import('./settings/Sender.tsx')).Sender)
const FieldsEditor = onDemand(async () => (await import('./settings/FieldsEditor.tsx')).FieldsEditor)

export function load({ params }: LoadInput<'/organizations/$orgId/edit'>) {
  return fetchFresh(readOrganization, { params: { orgId: params.orgId } })
}

export function OrganizationEdit() {
  const { orgId } = usePathParams('/organizations/$orgId/edit')
  return <Editor key={orgId} orgId={orgId} />
}

function Editor({ orgId }: { orgId: string }) {
  const organization = useEndpoint(readOrganization, { params: { orgId } })
  const { name } = organization
  const navigate = useNavigate()
  useVisit({
    kind: 'organization',
    title: organization.name,
    detail: organization.domain ?? '',
    picture: organization.logo,
    path: paths.organizationDashboard(orgId),
  })
  return (
    <>
      <PageHead
        title={`Edit ${name}`}
        lead="Name, logo, state, and what holds for everybody in it."
        crumbs={organizationCrumbs(organization)}
        more={
          <>
            <Button variant="default" renderRoot={(props) => <Link {...props} to={paths.systems(orgId)} />}>
              Other systems
            </Button>
            <HistoryLink entity="organization" id={orgId} />
          </>
        }
      />
      <div className={shapes.stack}>
        <LogoField organization={organization} />
        <EditOrganizationForm
          organization={organization}
          onSaved={({ id }) => navigate({ to: paths.organizationDashboard(id) })}
        />
        <Suspense fallback={<Bone height={240} />}>
          <Sender orgId={orgId} />
        </Suspense>
        <section className={`${shapes.stack} ${shapes.narrow}`} aria-labelledby="keys-title">
          <h2 id="keys-title">Keys of other systems</h2>
          <p className={shapes.lead}>
            By these another system reads and changes what is in this organization.{' '}
            <Link to={paths.settings()} search={{ tab: 'keys', organization: orgId }}>
              See the keys
            </Link>
          </p>
        </section>
        <section className={`${shapes.stack} ${shapes.narrow}`} aria-labelledby="fields-title">
          <h2 id="fields-title">Fields of people</h2>
          <p className={shapes.lead}>
            What this organization keeps about its people, beyond name, email, phone and external ID.
          </p>
          <Suspense fallback={<Bone height={120} />}>
            <FieldsEditor orgId={orgId} />
          </Suspense>
        </section>
        <section
          className={`${shapes.card} ${shapes.pad} ${shapes.stack} ${shapes.narrow}`}
          aria-labelledby="sign-in"
        >
          <h2 id="sign-in">Sign-in</h2>
          <p>People can sign in with the account that they have at work, by OpenID Connect.</p>
          <div>
            <Button
              variant="default"
              renderRoot={(props) => <Link {...props} to={paths.organizationSignIn(orgId)} />}
            >
              Connections, domains, and who has to
            </Button>
          </div>
        </section>
        <StateCard organization={organization} />
      </div>
    </>
  )
}
