import { Link } from '@tanstack/react-router'
import { readPersonAccess, type PersonAccess } from '#contract/person/person.ts'
import { adminRoles } from '#contract/roles.ts'
import type { User } from '#contract/directory/users.ts'
import { useEndpoint } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { useUser } from '#web/session/useSession.ts'
import { roleNames } from '#web/session/roleNames.ts'
import { Facts } from '#web/ui/fields/Field.tsx'
import { plural } from '#web/ui/format.ts'
import { PlainTable } from '#web/ui/table/PlainTable.tsx'
import { DateTime } from '#web/ui/Time.tsx'
import { Ask } from './Ask.tsx'
import { Barred } from './Barred.tsx'
import { blockedLabels, rights, throughText } from './labels.tsx'
import shapes from '#web/ui/look/shapes.module.css'

type Props = { orgId: string; user: User }

/** What a person can see and receive, and through what. */
export function Access({ orgId, user }: Props) {
  const { role } = useUser()
  const access = useEndpoint(readPersonAccess, { params: { orgId, userId: user.id } })
  return (
    <div className={shapes.stack}>
      <Ask orgId={orgId} user={user} />
      <Console user={user} access={access} />
      <Groups orgId={orgId} user={user} access={access} />
      <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="why-receives">
        <h2 id="why-receives">What they receive</h2>
        {adminRoles.includes(role) && <Barred orgId={orgId} user={user} />}
        <p>
          Messages that name them, that go to one of their groups, or to everybody in the organization. Until
          now {plural(access.received, 'message was', 'messages were')} sent to them.{' '}
          <Link to="." search={{ kind: 'transmission' }}>
            See each one, and through what it came
          </Link>
        </p>
      </section>
    </div>
  )
}

type AccessProps = { user: User; access: PersonAccess }

function Console({ user, access: { role, roleSince, blockedReason } }: AccessProps) {
  const known = role === 'admin' || role === 'groupadmin' ? rights[role] : []
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="why-console">
      <h2 id="why-console">In the console</h2>
      {blockedReason === null ? (
        <p>
          {user.name} can enter: {role ? roleNames[role].toLowerCase() : ''} since{' '}
          <DateTime iso={roleSince} />.
        </p>
      ) : (
        <p>
          {user.name} cannot enter: {blockedLabels[blockedReason]}
        </p>
      )}
      {known.length > 0 && (
        <Facts facts={known.map(({ what, extent }) => ({ label: what, value: extent }))} />
      )}
    </section>
  )
}

function Groups({ orgId, user, access: { groups } }: AccessProps & { orgId: string }) {
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="why-groups">
      <h2 id="why-groups">Groups</h2>
      {groups.length === 0 ? (
        <p>{user.name} is in no group that you see.</p>
      ) : (
        <PlainTable name="Groups" heads={['Group', 'Through', 'Since']}>
          {groups.map((group) => (
            <tr key={group.id}>
              <th scope="row">
                <Link to={paths.groupEdit(orgId, group.id)}>{group.name}</Link>
              </th>
              <td data-label="Through">
                {throughText(group)}
                {group.administersSince && (
                  <p className={shapes.hint}>
                    Administers it since <DateTime iso={group.administersSince} />
                  </p>
                )}
              </td>
              <td data-label="Since">
                <DateTime iso={group.since} />
              </td>
            </tr>
          ))}
        </PlainTable>
      )}
    </section>
  )
}
