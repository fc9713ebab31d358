# frozen_string_literal: true

module Holdup
  class Runtime
    # The name of the account that a thread's time outside of requests and jobs goes to: its own name without
    # what never returns (numbers, UUIDs, hexadecimal ids, addresses, times). So "puma srv tp 001" and
    # "puma srv tp 002" share one account, and so do threads that have the id of a job in their name.
    class ThreadLabel
      # Longer names are cut: the account keeps less anyway, and names may be anything.
      LONGEST = 200
      # Names whose label is remembered, because a tick asks for all threads.
      MOST_KNOWN = 500
      VARIABLE = "*"

      # What a parenthesis at the end says changes: Falcon's "(C=1/1 L=0.2)".
      REMARK = /\s*\(.*\)\z/
      UUID = /(?<!\h)\h{8}-\h{4}-\h{4}-\h{4}-\h{12}(?!\h)/
      ADDRESS = /(?<![[:alnum:]])0x\h+/
      # An address has at least four groups or a double colon, and a digit: "Feed::Cafe" is a class.
      IPV6 = /
        (?<![[:alnum:]:]) \[? (?=[\da-f:]*\d)
        (?: (?:[\da-f]{1,4}:){3,7}[\da-f]{1,4} | (?:[\da-f]{1,4}:){0,6}:[\da-f]{1,4}(?::[\da-f]{1,4}){0,6} )
        \]? (?::\d+)? (?![[:alnum:]:])
      /x
      TIME = /\d{4}-\d\d-\d\d(?:[T_ ]\d\d(?:[:.-]?\d\d)*(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?/
      # IPv4 with a port, times of day, versions.
      DOTTED = /\d+(?:[.:]\d+)+/
      # Solid Queue ends its threads' names so.
      HEX_TAIL = /-\h{20,}\z/
      # A pool numbers its threads so.
      NUMBER_TAIL = /[\s\-_#]*\d+\z/
      WORD = /[[:alnum:]]+/
      JOINED = /\*(?:[\s\-_.:#,]*\*)+/

      # An id has digits and letters, or is too long for a word. "db01" is a word with a number.
      HEX_ID = /\A(?=\h*[a-fA-F])(?:\h{12,}|(?=\h*\d)\h{8,}|(?![a-fA-F]+\d+\z)(?=\h*\d)\h{4,})\z/
      LONG_ID = 16
      ID_NUMBERS = 3
      # "http2" and "s3" are words.
      NUMBER = /\d{2,}|(?<![[:alnum:]])\d(?![[:alnum:]])/
      IDS = [UUID, TIME, IPV6, ADDRESS, DOTTED].freeze
      private_constant :REMARK, :UUID, :ADDRESS, :IPV6, :TIME, :DOTTED, :HEX_TAIL, :NUMBER_TAIL, :WORD,
        :JOINED, :HEX_ID, :LONG_ID, :ID_NUMBERS, :NUMBER, :IDS

      def initialize
        @known = {}
      end

      # @param thread [Thread]
      # @return [String]
      def of(thread)
        return "main" if thread.equal?(Thread.main)
        name = thread.name.to_s
        @known.clear if @known.size >= MOST_KNOWN
        @known[name] ||= "thread:#{without_ids(name.byteslice(0, LONGEST).scrub("?"))}"
      end

      private

      def without_ids(name)
        name = name.sub(REMARK, "")
        IDS.each { |id| name = name.gsub(id, VARIABLE) }
        name = name.sub(HEX_TAIL, "").gsub(WORD) { |word| id?(word) ? VARIABLE : word }
        name = name.sub(NUMBER_TAIL, "").gsub(NUMBER, VARIABLE).gsub(JOINED, VARIABLE)
        name.empty? ? "(unnamed)" : name
      end

      # Hexadecimal, or a ULID or the like.
      def id?(word)
        word.match?(HEX_ID) || (word.size >= LONG_ID && word.scan(/\d+/).size >= ID_NUMBERS)
      end
    end
  end
end
