# frozen_string_literal: true

module Holdup
  module View
    module Locales
      # Sentences of the pages about captures.
      CAPTURES_EN = {
        title_captures: "Captures", title_capture: "Capture",
        captures_kept: "Captures that are kept", taken: "taken", capture_why: "why", capture_unit: "unit", capture_stall: "its stall", capture_holder: "held up by, for", capture_events: "events",
        capture_length: "length", capture_cost: "cost of CPU", capture_size: "size", capture_broken: "can't be read",
        captures_note: "A capture is every GVL event of every thread of a process for some seconds. Click one to see it thread by thread.",
        no_captures: "There are none yet. `holdup capture --seconds 10` takes one of a process that is measured; config.capture = {stall: \"50 ms\"} keeps what led to slow units by itself.",
        trigger_asked: "holdup capture", trigger_until: "holdup capture --until", trigger_rule: "rule", trigger_dashboard: "asked for here",
        capture_now: "Take one now", capture_button: "Capture 10 s", capture_nobody: "No process of this host is measured now.",
        capture_asked: "Process %<pid>s was asked. Its capture is in this list in about half a minute: load the page again.",
        capture_part: "Only what lies between %<from>s and %<to>s of the capture.", capture_held_note: "held and longest: in the whole capture.",
        capture_files: "The capture as", capture_packed: "File for holdup timeline", capture_firefox: "Firefox Profiler", capture_perfetto: "Perfetto", capture_speedscope: "speedscope", capture_json: "JSON for programs",
        story_from: "since its begin", story_length: "for", story_what: "what",
        methods_title: "Methods that held the GVL longest while others waited",
        flame_title: "What it ran: methods under those that call them", flame_empty: "Nothing.", flame_depth: "depth", flame_frame: "method", flame_folded: "%<first>s … %<last>s (%<count>s)",
        flame_note: "As wide as its share; pointing at one tells where it is and for how long. In a stronger colour: the application's own code.",
        flame_held: "Had the GVL", flame_stalled: "Waited for it", flame_caused: "Made others wait", flame_no_stack: "no stack",
        viewer_title: "Thread by thread", viewer_failed: "The picture could not be drawn. The tables below have the figures.",
        viewer_closer: "Closer", viewer_further: "Further away", viewer_whole: "Whole", viewer_before: "Previous wait", viewer_next: "Next wait", viewer_tables: "Tables of this part", viewer_free: "Let go",
        viewer_search: "Find a unit, thread or method", viewer_found: "Found",
        viewer_keys: "Click a period to see whom the thread waited for; click a unit to follow it. Arrows go along the time and from row to row, + and - closer and further away, Home and End to the ends, " \
          "N and P to the next wait and the one before, Enter follows the unit, T makes the tables below tell of this part, 0 shows all, Escape lets go. The wheel zooms after a click, or with Ctrl; with Shift it goes along the time.",
        viewer_period: "%<who>s %<state>s for %<time>s, from %<at>s on", viewer_holder: "Who has the GVL", viewer_nobody: "nobody has it", viewer_running: "has the GVL", viewer_stalled: "waits for the GVL",
        viewer_preempted: "lost the GVL and waits for it", viewer_io: "is in io", viewer_lock: "waits for a lock", viewer_sleep: "sleeps, or waits with a limit", viewer_idle: "is idle", viewer_unknown: "is not known about",
        viewer_absent: "is not there", viewer_handoff: "Nobody had it (hand-off)", viewer_gc: "collects garbage"
      }.freeze
    end
  end
end
