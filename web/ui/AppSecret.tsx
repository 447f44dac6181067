import { CopyButton } from './CopyButton.tsx'
import { QrCode } from './QrCode.tsx'
import classes from './secrets.module.css'

type Props = { secret: string; otpauthUri: string }

/** What an authenticator app takes: a picture for its camera, or the key to type. */
export function AppSecret({ secret, otpauthUri }: Props) {
  const groups = secret.match(/.{1,4}/g) ?? []
  return (
    <div className={classes.stack}>
      <QrCode
        text={otpauthUri}
        label="QR code for your authenticator app. The same key stands below as text."
      />
      <div className={classes.stack}>
        <p>No camera? Type this key into the app:</p>
        <code translate="no">{groups.join(' ')}</code>
        <div className={classes.actions}>
          <CopyButton text={secret} label="Copy the key" />
          <a className={classes.action} href={otpauthUri}>
            Open in an app on this device
          </a>
        </div>
      </div>
    </div>
  )
}
