# frozen_string_literal: true

module Holdup
  module Analysis
    # Why a request or job was slow, as a chain: what it waited for longest, who held that, what that one
    # waited for meanwhile, and so on. The first link has the figures of the request or job itself. The others
    # have the means of all of the holder's requests or jobs that ended in the same minute.
    #
    # - `links`: Array of WaitLink, at most MOST
    WaitChain = Data.define(:links) do
      # @param slow [Holdup::SlowUnit]
      # @param windows [Enumerable<Holdup::Window>] of the minute in which it ended, of KINDS
      # @return [WaitChain] without links where it waited for little
      def self.of(slow, windows)
        minute = WaitChain::MinuteWaits.new(windows)
        links = [WaitChain::WaitLink.of_unit(slow)].compact
        while links.any? && links.size < WaitChain::MOST
          link = minute.link(links.last, links.map(&:waiter)) or break
          links << link
        end
        new(links: links.map { |each| each.with(place: minute.place(each)) })
      end

      # A wait for a connection may be one for a lock, too: it is the connection that explains it.
      # @return [Hash{Symbol => Integer}] all that was waited, by kind
      def self.sums(stalled_ns, pool_wait_ns, lock_ns)
        {pair: stalled_ns, pool_pair: pool_wait_ns, lock_pair: [lock_ns - pool_wait_ns, 0].max}
      end

      def any? = links.any?
    end

    # One wait of a chain.
    #
    # - `waiter`: name of the requests or jobs that waited
    # - `kind`: `:pair` for the GVL, `:pool_pair` for a connection, `:lock_pair` for a lock, `:call` for
    #   another system
    # - `wait_ns`: for how long; `holder`: who held it, or of a lock who ended the wait, as in SlowUnit::Part;
    #   `held_ns`: for how long of the wait
    # - `place`: MethodLine in which the holder made others wait most in that minute; nil where that is not
    #   known
    WaitChain::WaitLink = Data.define(:waiter, :kind, :wait_ns, :holder, :held_ns, :place) do
      # @param slow [Holdup::SlowUnit]
      # @return [WaitLink, nil] nil where it waited for little
      def self.of_unit(slow)
        sums = WaitChain.sums(slow.unit.stalled_ns, slow.pool_wait_ns, slow.lock_ns)
        parts = slow.parts.select { |part| WaitChain::TIMES.key?(part.kind) }
        longest(parts, sums, of_ns: slow.wall_ns, waiter: slow.unit.series.name)
      end

      # @param parts [Array<SlowUnit::Part>]
      # @param sums [Hash{Symbol => Integer}] all that was waited, by kind; of other kinds it is the longest
      #   part
      # @param of_ns [Integer] time of the waiter
      # @param count [Integer] of requests or jobs that these are sums of
      # @return [WaitLink, nil]
      def self.longest(parts, sums, of_ns:, waiter:, count: 1)
        by_kind = parts.group_by(&:kind)
        unknown = sums.keys - by_kind.keys
        unknown.each { |kind| by_kind[kind] = [SlowUnit::Part.new(kind:, name: WaitChain::UNKNOWN, ns: 0)] }
        waits = by_kind.map do |kind, same|
          part = same.max_by(&:ns)
          new(waiter:, kind:, wait_ns: sums.fetch(kind, part.ns) / count, holder: part.name,
            held_ns: part.ns / count, place: nil)
        end
        link = waits.max_by(&:wait_ns)
        link if link && link.wait_ns * count >= of_ns * WaitChain::EXPLAINS && link.wait_ns.positive?
      end

      # Whether it names somebody who may have waited too.
      def named? = kind != :call && !holder.nil? && !Series::NAMELESS.key?(holder)
    end

    # What all requests and jobs of one minute waited for.
    class WaitChain::MinuteWaits
      def initialize(windows)
        @by_name = windows.group_by { |window| window.series.name }
      end

      # @param link [WaitLink] the last of the chain so far
      # @param waiters [Array<String>] of the chain so far; none comes twice
      # @return [WaitLink, nil] what its holder waited for; nil where that is not known, or little
      def link(link, waiters)
        return if !link.named? || waiters.include?(link.holder)
        windows = @by_name.fetch(link.holder, [])
        units = windows.select { |window| window.series.unit? }
        count = units.sum(&:count)
        return if count.zero?
        sums = WaitChain.sums(*%i[stalled_ns pool_wait_ns lock_ns].map { |time| units.sum(&time) })
        of_ns = units.sum { |window| window.histograms[:wall].sum }
        WaitChain::WaitLink.longest(parts(windows), sums, of_ns:, waiter: link.holder, count:)
      end

      # @return [MethodLine, nil]
      def place(link)
        return if link.kind != :pair || !link.named?
        methods = @by_name.fetch(link.holder, []).select { |window| window.series.kind == :method }
        MethodLine.all(methods.map { |window| MethodLine.place(window) }).first
      end

      private

      def parts(windows)
        times = windows.each_with_object(Hash.new(0)) do |window, sums|
          time = WaitChain::TIMES[window.series.kind]
          sums[[window.series.kind, window.series.queue]] += time.call(window) if time
        end
        times.map { |(kind, name), ns| SlowUnit::Part.new(kind:, name:, ns:) }
      end
    end

    WaitChain::MOST = 5
    # Of the waiter's time; a shorter wait explains nothing.
    WaitChain::EXPLAINS = 0.1
    WaitChain::UNKNOWN = Series::NAMELESS.key(:unknown)
    # What a window of each kind of waits says of them.
    WaitChain::TIMES = {
      pair: ->(window) { window.stalled_ns },
      pool_pair: ->(window) { window.pool_wait_ns },
      lock_pair: ->(window) { window.lock_ns },
      call: ->(window) { window.histograms[:idle].sum }
    }.freeze
    # Of the windows that it is made of.
    WaitChain::KINDS = [*Series::UNITS, *WaitChain::TIMES.keys, :method].freeze
  end
end
