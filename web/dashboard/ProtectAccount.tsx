import { IconShieldLock } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { paths } from '../paths.ts'
import { useUser } from '../session/useSession.ts'

/** A thing to do, until the reader has a second factor. */
export function ProtectAccount() {
  if (useUser().mfa.enrolled) return null
  return (
    <section className="ui-card protect" aria-labelledby="protect-title">
      <IconShieldLock size={24} aria-hidden />
      <div>
        <h2 id="protect-title">Protect your account</h2>
        <p>
          At present your password alone opens it. Add an authenticator app or a passkey: it takes two
          minutes.
        </p>
      </div>
      <Link to={paths.settings()} search={{ tab: 'security' }}>
        Add a second step
      </Link>
    </section>
  )
}
