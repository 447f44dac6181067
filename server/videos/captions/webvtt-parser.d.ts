/** The parser of the W3C's validator, which brings no types: of each cue its times and settings, and its text as a tree. */
declare module 'webvtt-parser' {
  export type ParsedCue = {
    /** Seconds. */
    startTime: number
    endTime: number
    direction: 'horizontal' | 'rl' | 'lr'
    snapToLines: boolean
    linePosition: 'auto' | number
    lineAlign: string
    textPosition: 'auto' | number
    positionAlign: string
    size: number
    alignment: string
  }
  export type TextNode =
    | { type: 'text'; value: string }
    | { type: 'timestamp'; value: number }
    | { type: 'object'; name: string; classes: string[]; value?: string; children: TextNode[] }
  type OnFault = (message: string, column: number) => void
  const parsers: {
    WebVTTCueTimingsAndSettingsParser: new (
      line: string,
      onFault: OnFault,
    ) => { parse: (cue: ParsedCue, previousStart: number) => true | undefined }
    WebVTTCueTextParser: new (
      text: string,
      onFault: OnFault,
      mode: 'subtitles',
      entities: Readonly<Record<string, string>>,
    ) => { parse: (start: number, end: number) => { children: TextNode[] } }
  }
  export default parsers
}
