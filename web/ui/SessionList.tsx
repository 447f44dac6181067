import { Button } from '@mantine/core'
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react'
import { deviceName } from '#contract/devices.ts'
import { language } from '#contract/language.ts'
import type { Session } from '#contract/sessions.ts'
import { formatDateTime } from './format.ts'
import { StatusBadge } from './StatusBadge.tsx'
import { RelativeTime } from './Time.tsx'
import './sessions.css'

const proofs: Record<string, string> = {
  pwd: /* text */ 'password',
  otp: 'authenticator app',
  hwk: /* text */ 'passkey',
  rcv: 'recovery code',
  mail: 'mailed code',
}

const list = new Intl.ListFormat(language)

type Props = { sessions: readonly Session[]; onEnd: (session: Session) => void }

/** Signed-in browsers, one line each. */
export function SessionList({ sessions, onEnd }: Props) {
  return (
    <ul className="ui-sessions" aria-label="Sessions">
      {sessions.map((session) => (
        <Row key={session.id} session={session} onEnd={() => onEnd(session)} />
      ))}
    </ul>
  )
}

function Row({ session, onEnd }: { session: Session; onEnd: () => void }) {
  const Icon = /iPhone|iPad|Android/.test(session.browser.system ?? '') ? IconDeviceMobile : IconDeviceDesktop
  const how = list.format(session.proofs.map((proof) => proofs[proof] ?? proof))
  return (
    <li>
      <Icon size={24} aria-hidden />
      <div>
        <p className="ui-sessions-name">
          {deviceName(session.browser)}
          {session.isPresent && <StatusBadge tone="success">This one</StatusBadge>}
          {session.isLocked && <StatusBadge tone="neutral">Locked</StatusBadge>}
          {session.isRemembered && <StatusBadge tone="info">Remembered</StatusBadge>}
        </p>
        <p>
          Last used <RelativeTime iso={session.lastSeenAt} />
          {session.network && `, from ${session.network}`}
        </p>
        <p>
          Signed in {formatDateTime(session.createdAt)}
          {how && ` with ${how}`}; ends {formatDateTime(session.expiresAt)} at the latest
        </p>
      </div>
      <Button variant="default" size="xs" onClick={onEnd}>
        Sign out
        <span className="ui-sr"> {session.isPresent ? 'here' : deviceName(session.browser)}</span>
      </Button>
    </li>
  )
}
