import { useNavigate } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { readOrganization } from '#contract/directory/organizations.ts'
import { readConnection, type Connection } from '#contract/identity/sso.ts'
import { fetchFresh, prefetch, useEndpoint, useList } from '#web/api/query.ts'
import { CopyButton } from '#web/ui/CopyButton.tsx'
import { Facts } from '#web/ui/fields/Field.tsx'
import { PageHead } from '#web/ui/PageHead.tsx'
import columns from '#web/ui/table/columns.module.css'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { usePathParams, type LoadInput } from '../../layout/page.ts'
import { organizationCrumbs } from '../crumbs.tsx'
import { callsOf, type Owner } from './calls.ts'
import { ConnectionForm } from './ConnectionForm.tsx'
import { useConnectionForm } from './useConnectionForm.ts'
import { Home, homeOf } from './Home.tsx'
import { People } from './People.tsx'
import { Preview } from './Preview.tsx'
import { Removal } from './Removal.tsx'
import { stateOf } from './states.ts'
import { Trial } from './Trial.tsx'
import classes from './SignIn.module.css'

export function load({ params }: LoadInput<'/organizations/$orgId/connections/$connectionId'>) {
  const { orgId, connectionId } = params
  return Promise.all([
    prefetch(readOrganization, { params: { orgId } }),
    fetchFresh(readConnection, { params: { orgId, connectionId } }),
  ])
}

export function ConnectionPage() {
  const { orgId, connectionId } = usePathParams('/organizations/$orgId/connections/$connectionId')
  const organization = useEndpoint(readOrganization, { params: { orgId } })
  const connection = useEndpoint(readConnection, { params: { orgId, connectionId } })
  return (
    <Editor
      key={connectionId}
      owner={orgId}
      loaded={connection}
      crumbs={[...organizationCrumbs(organization), <Home key="sign-in" owner={orgId} />]}
    />
  )
}

type Props = { owner: Owner; loaded: Connection; crumbs: ReactNode[] }

/** One connection: what its provider has to be told, what it tells, and whether that works. */
export function Editor({ owner, loaded, crumbs }: Props) {
  const navigate = useNavigate()
  const [isWaiting, setWaiting] = useState(false)
  const params = { orgId: owner ?? '', connectionId: loaded.id }
  // Where the other window cannot say that it is back, the page finds out by itself.
  const { page } = useList(callsOf(owner).read, { params }, { every: isWaiting && 3_000 })
  const connection = page ?? loaded
  const [base, setBase] = useState(loaded)
  const edited = useConnectionForm(owner, base, setBase)
  const { tone, word, means } = stateOf(connection)
  const { grants, rules } = edited.form.values
  return (
    <>
      <PageHead
        title={connection.name}
        lead="Set up in four steps: enter the addresses at your provider, type what it gives you, try it, and choose who may come in."
        crumbs={crumbs}
        actions={
          <StatusBadge tone={tone} title={means}>
            {word}
          </StatusBadge>
        }
      />
      <div className={shapes.stack}>
        <Addresses connection={connection} />
        <div className={columns.form}>
          <div className={shapes.stack}>
            <ConnectionForm owner={owner} connection={base} edited={edited} />
          </div>
          <div className={shapes.stack}>
            <Trial owner={owner} connection={connection} edited={edited} onWaiting={setWaiting} />
            {owner !== null && (
              <Preview orgId={owner} connectionId={connection.id} judged={{ grants, rules }} />
            )}
            <People owner={owner} connectionId={connection.id} />
            <Removal
              owner={owner}
              connection={connection}
              onRemoved={() => void navigate({ ...homeOf(owner), replace: true })}
            />
          </div>
        </div>
      </div>
    </>
  )
}

/** What is entered at the provider, to be copied. */
function Addresses({ connection: { redirectUrl, logoutUrl } }: { connection: Connection }) {
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="addresses">
      <h2 id="addresses">For your provider</h2>
      <p>Enter both addresses where this console is registered at your provider, letter by letter.</p>
      <Facts
        facts={[
          {
            label: 'Redirect address',
            value: (
              <span className={shapes.row}>
                <code translate="no" className={classes.address}>
                  {redirectUrl}
                </code>
                <CopyButton text={redirectUrl} label="Copy the redirect address" />
              </span>
            ),
          },
          {
            label: 'Back-channel logout',
            value: (
              <span className={shapes.row}>
                <code translate="no" className={classes.address}>
                  {logoutUrl}
                </code>
                <CopyButton text={logoutUrl} label="Copy the sign-out address" />
              </span>
            ),
          },
        ]}
      />
      <p className={shapes.hint}>
        Who is signed out or switched off at the provider is then signed out here as well. Not every provider
        has it.
      </p>
    </section>
  )
}
