import { CopyButton } from '../CopyButton.tsx'
import classes from './secrets.module.css'
import { encodeQR } from 'qr'

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

/** Always dark on white, also in the dark theme: cameras read nothing else as surely. */
function QrCode({ text, label }: { text: string; label: string }) {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: 4 })
  const path = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg
      className={classes.qr}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={rows.length} height={rows.length} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
