/** Our own drawing: a reel that is also a play sign. Colours come from the text around it. */
export function LogoMark({ size = 26 }: { size?: number }) {
  return (
    <svg
      width={(size * 30.55) / 26}
      height={size}
      viewBox="0 0 30.55 26"
      aria-hidden
      className="ui-logo-mark"
    >
      <rect x="0.5" y="1" width="24" height="24" rx="7" fill="var(--logo-mark, #17a589)" />
      <path
        d="M9.5 8.2v9.6c0 .8.9 1.3 1.6.9l7.6-4.8c.6-.4.6-1.4 0-1.8l-7.6-4.8c-.7-.4-1.6.1-1.6.9Z"
        fill="#fff"
      />
      <path
        d="M27 6.5a11 11 0 0 1 0 13"
        fill="none"
        stroke="var(--logo-mark, #17a589)"
        strokeWidth="2.2"
        strokeLinecap="round"
      />
    </svg>
  )
}
