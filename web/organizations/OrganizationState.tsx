import { Button } from '@mantine/core'
import { IconArchive, IconPlayerPause, IconRestore } from '@tabler/icons-react'
import { useState } from 'react'
import {
  changeOrganizationState,
  listOrganizations,
  readOrganization,
  type Organization,
} from '#contract/directory/organizations.ts'
import { readOrganizationOverview } from '#contract/directory/overview.ts'
import { attempt } from '#web/api/attempt.ts'
import { useChange } from '../api/query.ts'
import { useUser } from '../session/useSession.ts'
import { ConfirmDialog } from '../ui/overlays/ConfirmDialog.tsx'
import { Notice } from '../ui/feedback/Notice.tsx'
import { StatusBadge } from '../ui/figures/StatusBadge.tsx'
import { organizationStates } from './states.ts'
import shapes from '#web/ui/look/shapes.module.css'

type State = Organization['state']
type Props = { organization: Organization }

const done: Record<State, string> = {
  active: 'is active again',
  suspended: 'is suspended',
  archived: 'is archived',
}

function useStateChange({ id, name }: Organization) {
  const change = useChange(changeOrganizationState, [
    listOrganizations,
    readOrganization,
    readOrganizationOverview,
  ])
  return (state: State) =>
    attempt(() => change.mutateAsync({ params: { orgId: id }, body: { state } }), `${name} ${done[state]}.`)
}

/** The state of an organization with what can be done about it. */
export function StateCard({ organization }: Props) {
  const { tone, word, means } = organizationStates[organization.state]
  return (
    <section
      className={`${shapes.card} ${shapes.pad} ${shapes.stack} ${shapes.narrow}`}
      aria-labelledby="org-state"
    >
      <h2 id="org-state">State</h2>
      <p>
        <StatusBadge tone={tone}>{word}</StatusBadge> {means}
      </p>
      <div className={shapes.row}>
        {organization.state === 'active' ? (
          <>
            <SwitchOff organization={organization} to="suspended" />
            <SwitchOff organization={organization} to="archived" />
          </>
        ) : (
          <>
            <Restore organization={organization} />
            {organization.state === 'suspended' && <SwitchOff organization={organization} to="archived" />}
          </>
        )}
      </div>
    </section>
  )
}

/** Says on every page of an organization that it is switched off; whoever may, restores it there. */
export function StateBanner({ organization }: Props) {
  const { role } = useUser()
  const { word, means } = organizationStates[organization.state]
  return (
    <section aria-label={`This organization is ${word.toLowerCase()}`}>
      <Notice
        tone="warning"
        icon={IconArchive}
        action={role === 'superadmin' && <Restore organization={organization} />}
      >
        <strong>{word}.</strong> {means}
      </Notice>
    </section>
  )
}

const off = {
  suspended: {
    verb: 'Suspend',
    icon: IconPlayerPause,
    why: 'For a while: it stays among the organizations in use.',
  },
  archived: {
    verb: 'Archive',
    icon: IconArchive,
    why: 'For good, or so it seems: it is no longer in use, and can be activated again at any time.',
  },
} as const

function SwitchOff({ organization, to }: Props & { to: 'suspended' | 'archived' }) {
  const [isAsked, setAsked] = useState(false)
  const change = useStateChange(organization)
  const { verb, icon: Icon, why } = off[to]
  return (
    <>
      <Button variant="default" leftSection={<Icon size={16} aria-hidden />} onClick={() => setAsked(true)}>
        {verb}
      </Button>
      <ConfirmDialog
        isOpen={isAsked}
        title={`${verb} ${organization.name}?`}
        confirmLabel={verb}
        onConfirm={() => change(to)}
        onClose={() => setAsked(false)}
      >
        <p>{why}</p>
        <ul className={shapes.bullets}>
          <li>Everybody of this organization is signed out at once, and nobody can sign in.</li>
          <li>
            Nothing is sent. What is being sent now is paused, and goes on only when somebody resumes it.
          </li>
          <li>The links to its videos do not open.</li>
          <li>People, groups, videos and all evidence of viewing stay as they are.</li>
        </ul>
      </ConfirmDialog>
    </>
  )
}

function Restore({ organization }: Props) {
  const [isAsked, setAsked] = useState(false)
  const change = useStateChange(organization)
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconRestore size={16} aria-hidden />}
        onClick={() => setAsked(true)}
      >
        Activate
      </Button>
      <ConfirmDialog
        isOpen={isAsked}
        title={`Activate ${organization.name}?`}
        confirmLabel="Activate"
        isDangerous={false}
        onConfirm={() => change('active')}
        onClose={() => setAsked(false)}
      >
        <ul className={shapes.bullets}>
          <li>Its people can sign in again, each with the password that they had.</li>
          <li>The links to its videos open again.</li>
          <li>Transmissions that were paused stay paused until somebody resumes them.</li>
        </ul>
      </ConfirmDialog>
    </>
  )
}
