import { Button } from '@mantine/core'
import { IconLogin2, IconPlus } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Connection } from '#contract/identity/sso.ts'
import { signInFaultLabels } from '#contract/identity/sso-fault-labels.ts'
import { NotRead } from '#web/api/NotRead.tsx'
import { useList } from '#web/api/query.ts'
import { EmptyState } from '#web/ui/feedback/EmptyState.tsx'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { plural } from '#web/ui/format.ts'
import { Lines } from '#web/ui/Lines.tsx'
import { RelativeTime } from '#web/ui/Time.tsx'
import shapes from '#web/ui/look/shapes.module.css'
import { paths } from '../../paths.ts'
import { callsOf, type Owner } from './calls.ts'
import { Domains } from './Domains.tsx'
import { Policy } from './Policy.tsx'
import { stateOf } from './states.ts'
import classes from './SignIn.module.css'

/** How people of an organization, or superadmins, sign in by what their company has for it. */
export function SignIn({ owner }: { owner: Owner }) {
  const { page, error, retry } = useList(callsOf(owner).list, { params: { orgId: owner ?? '' } })
  if (error || !page) return <NotRead error={error} retry={retry} height={320} />
  return (
    <div className={`${shapes.stack} ${shapes.measure}`}>
      <section className={shapes.stack} aria-labelledby="connections">
        <header className={shapes.spaceBetween}>
          <h2 id="connections">Sign-in connections</h2>
          {page.items.length > 0 && <Add owner={owner} />}
        </header>
        {page.items.length === 0 ? <Empty owner={owner} /> : <Connections owner={owner} items={page.items} />}
      </section>
      {page.items.length > 0 && (
        <>
          <Domains owner={owner} />
          {owner !== null && <Policy orgId={owner} />}
        </>
      )}
    </div>
  )
}

function Add({ owner }: { owner: Owner }) {
  return (
    <Button
      component={Link}
      to={paths.connectionCreate(owner)}
      data-create
      leftSection={<IconPlus size={16} aria-hidden />}
    >
      Set up a connection
    </Button>
  )
}

function Empty({ owner }: { owner: Owner }) {
  return (
    <div className={shapes.card}>
      <EmptyState
        title={owner === null ? 'Superadmins sign in with a password' : 'Everybody signs in with a password'}
        icon={<IconLogin2 size={24} />}
        action={<Add owner={owner} />}
      >
        Let people sign in with the account that they have at work: Microsoft Entra ID, Google Workspace,
        Okta, Keycloak, or any other provider of OpenID Connect. First, ask whoever looks after these accounts
        to register this console there; they get an issuer, a client ID and a secret for it, which are typed
        here.
      </EmptyState>
    </div>
  )
}

function Connections({ owner, items }: { owner: Owner; items: readonly Connection[] }) {
  return (
    <Lines label="Sign-in connections" isCard>
      {items.map((connection) => (
        <Row key={connection.id} owner={owner} connection={connection} />
      ))}
    </Lines>
  )
}

function Row({ owner, connection }: { owner: Owner; connection: Connection }) {
  const { id, name, issuer, people, lastSignInAt, lastFault } = connection
  const { tone, word, means } = stateOf(connection)
  return (
    <li>
      <div>
        <strong className={shapes.row}>
          <Link className={classes.name ?? ''} to={paths.connection(owner, id)}>
            {name}
          </Link>
          <StatusBadge tone={tone} title={means}>
            {word}
          </StatusBadge>
        </strong>
        <small>{issuer}</small>
        <small>
          {people === 0
            ? 'Nobody has signed in by it yet'
            : plural(people, 'person signs in by it', 'people sign in by it')}
          {lastSignInAt && (
            <>
              , last <RelativeTime iso={lastSignInAt} />
            </>
          )}
        </small>
        {lastFault && (
          <small>
            Refused <RelativeTime iso={lastFault.at} />: {signInFaultLabels[lastFault.fault]}.
          </small>
        )}
      </div>
    </li>
  )
}
