import { Button } from '@mantine/core'
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react'
import { deviceName } from '#contract/platform/devices.ts'
import { language } from '#contract/platform/text/language.ts'
import type { Session } from '#contract/identity/sessions.ts'
import { formatDateTime } from './format.ts'
import { Lines } from './Lines.tsx'
import { StatusBadge } from './figures/StatusBadge.tsx'
import { RelativeTime } from './Time.tsx'
import shapes from './look/shapes.module.css'

const proofs: Record<string, string> = {
  pwd: /* text */ 'password',
  otp: 'authenticator app',
  hwk: /* text */ 'passkey',
  rcv: 'recovery code',
  mail: 'mailed code',
  sso: 'company’s own sign-in',
  mfa: 'second step there',
}

const list = new Intl.ListFormat(language)

type Props = { sessions: readonly Session[]; onEnd: (session: Session) => void }

/** Signed-in browsers, one line each. */
export function SessionList({ sessions, onEnd }: Props) {
  return (
    <Lines label="Sessions">
      {sessions.map((session) => (
        <Row key={session.id} session={session} onEnd={() => onEnd(session)} />
      ))}
    </Lines>
  )
}

function Row({ session, onEnd }: { session: Session; onEnd: () => void }) {
  const Icon = /iPhone|iPad|Android/.test(session.browser.system ?? '') ? IconDeviceMobile : IconDeviceDesktop
  const { connection } = session
  const own = session.proofs.filter((proof) => proof !== 'sso' || connection === null)
  const how = list.format(own.map((proof) => proofs[proof] ?? proof))
  return (
    <li>
      <Icon size={24} aria-hidden />
      <div>
        <strong className={shapes.row}>
          {deviceName(session.browser)}
          {session.isPresent && <StatusBadge tone="success">This one</StatusBadge>}
          {session.isLocked && <StatusBadge tone="neutral">Locked</StatusBadge>}
          {session.isRemembered && <StatusBadge tone="info">Remembered</StatusBadge>}
        </strong>
        <small>
          Last used <RelativeTime iso={session.lastSeenAt} />
          {session.network && `, from ${session.network}`}
        </small>
        <small>
          Signed in {formatDateTime(session.createdAt)}
          {connection !== null && ` by ${connection}`}
          {how && ` with ${how}`}; ends {formatDateTime(session.expiresAt)} at the latest
        </small>
      </div>
      <Button variant="default" size="xs" onClick={onEnd}>
        Sign out
        <span className={shapes.sr}> {session.isPresent ? 'here' : deviceName(session.browser)}</span>
      </Button>
    </li>
  )
}
