import { IconShieldLock } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { paths } from '../paths.ts'
import { useUser } from '../session/useSession.ts'
import styles from './ProtectAccount.module.css'
import shapes from '#web/ui/shapes.module.css'

/** A thing to do, until the reader has a second factor. */
export function ProtectAccount() {
  if (useUser().mfa.enrolled) return null
  return (
    <section className={`${shapes.row} ${styles.protect}`} data-screen-only aria-labelledby="protect-title">
      <IconShieldLock size={16} aria-hidden />
      <h2 id="protect-title" className={`${shapes.grow} ${shapes.unit}`}>
        Nothing but a password protects your account.
      </h2>
      <Link to={paths.settings()} search={{ tab: 'security' }}>
        Add a second step
      </Link>
    </section>
  )
}
