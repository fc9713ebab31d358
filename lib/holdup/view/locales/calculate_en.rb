# frozen_string_literal: true

module Holdup
  module View
    module Locales
      # Sentences of `holdup calculate`.
      CALCULATE_EN = {
        calculate_title: "Threads for one process whose units are %<share>s io",
        calculate_answer: "%<threads>s {threads:thread is|threads are} enough: the GVL is then in use %<held>s of the time, and one thread more adds %<gain>s. " \
          "Amdahl's law with the usual rule (stop below +5 %%) says %<amdahl>s.",
        calculate_answer_one: "1 thread is enough: the GVL is then in use %<held>s of the time, and one thread more adds %<gain>s. " \
          "Amdahl's law with the usual rule (stop below +5 %%) says %<amdahl>s.",
        calculate_answer_beyond: "The GVL is no limit here: with %<threads>s {threads:thread|threads}, the most that are tried, it is in use %<held>s of the time. Memory, connections and what the threads wait for " \
          "end first. Amdahl's law with the usual rule (stop below +5 %%) says %<amdahl>s.",
        calculate_threads: "threads", calculate_speed_up: "speed-up", calculate_gain: "gained", calculate_amdahl: "Amdahl",
        calculate_amdahl_gain: "gained", calculate_bound: "at most", calculate_held: "GVL used", calculate_stall: "stall",
        calculate_response: "elapsed",
        calculate_plot: "Throughput:  %<closed>s closed model   %<amdahl>s Amdahl's law   %<bound>s at most, if nobody ever waited",
        calculate_why: "Why they differ: Amdahl's law takes one unit and splits its io over N threads, as if each thread that comes back " \
          "from io found all others in front of it. Threads run N units that overlap, so that is their worst case and not their mean. " \
          "The closed model (Erlang's B) is exact for random holds, and 1 to 4 % off for real ones.",
        calculate_stall_rule: "Articles lower the threads until a unit stalls less than 75 ms. Stall alone is not what users feel: with fewer " \
          "threads the same units wait in the queue instead. Judge by queued + stalled at the percentile that you promise.",
        calculate_stall_share: "gained: what the last of these threads adds. stall: in % of a unit's own time, running and idle together.",
        calculate_acquisitions: "At %<threads>s {threads:thread|threads} a unit stalls %<stall>s, %<each>s for each of its %<acquisitions>s {acquisitions:GVL acquisition|GVL acquisitions}. " \
          "Fewer queries a unit mean fewer acquisitions, and less stall with the same threads.",
        calculate_limits: "This is for threads that always have work, CPU enough for each process, and an io share without stall in it: " \
          "the idle time of `holdup report`, never an APM's \"io\", which contains the stall.",
        calculate_open_answer: "At %<rate>s units/s (processes: %<processes>s, vCPUs: %<vcpus>s) %<threads>s {threads:thread|threads} in each process are enough: %<whole>s from arriving " \
          "to the end on average, %<queued>s of it queued and %<stall>s stalled.",
        calculate_open_unserved: "%<rate>s units/s are more than any of these can serve (processes: %<processes>s, vCPUs: %<vcpus>s; at most %<capacity>s/s): the queue would never end.",
        calculate_open_unlike: "No formula tells what units this unlike wait (cv2 %<cv2>s; up to 2 is fine): it would be 33 to 64 %% too little. Record them and ask " \
          "`holdup advise`, which replays them one by one.",
        calculate_open_title: "Means at %<rate>s units/s", calculate_open_capacity: "most/s", calculate_open_held: "GVL used", calculate_open_queued: "queued",
        calculate_open_stall: "stalled", calculate_open_whole: "in all",
        calculate_open_note: "Units arrive at random and are alike (flow-equivalent servers; 8 to 13 % off then). Fewer threads do not remove waiting, they move it from " \
          "stall to queue. Of percentiles this says nothing: `holdup advise` does, from a recording."
      }.freeze
    end
  end
end
