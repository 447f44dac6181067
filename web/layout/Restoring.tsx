import { useState, type CSSProperties } from 'react'

/**
 * Shown while a saved session is restored; `index.html` holds the same, for the time before the script runs. It goes on
 * from there, so that what has faded in does not fade in again.
 */
export function Restoring() {
  const [since] = useState(() => `${Math.round(performance.now())}ms`)
  const style: CSSProperties & Record<'--since', string> = { '--since': since }
  return (
    <div className="restoring" role="status" style={style}>
      <span className="spinner" aria-hidden />
      Restoring your session...
    </div>
  )
}
