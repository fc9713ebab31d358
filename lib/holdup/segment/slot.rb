# frozen_string_literal: true

require_relative "../model/histogram"
require_relative "../model/series"
require_relative "layout"

module Holdup
  module Segment
    # A histogram in a segment: growing counters, not yet a value. A collector's tick handles ten thousand of
    # these, so nothing is trimmed, frozen or copied.
    HistogramCells = Struct.new(:count, :sum, :min, :max, :zero, :offset, :counts) do
      # @param at [Integer] offset in the slot
      # @return [HistogramCells, nil] nil when its bounds are implausible
      def self.parse(bytes, at)
        count, sum, min, max, zero, lo, hi = bytes.unpack("Q<7", offset: at)
        return if lo > Layout::BUCKETS || hi >= Layout::BUCKETS
        return if sum > Layout::MAX_NUMBER || max > Layout::MAX_NUMBER || min > max
        occupied = (lo > hi) ? 0 : hi - lo + 1
        counts = bytes.unpack("Q<#{occupied}", offset: at + Layout::BUCKETS_OFFSET + lo * 8)
        new(count, sum, min, max, zero, occupied.zero? ? 0 : lo, counts) if zero + counts.sum == count
      end

      def to_histogram = Histogram.new(**to_h)
    end

    # The slot of an account is used again for the name of another thread. Its sums go on, so that no counter
    # ever falls; what they were when the name came is kept in the slot.
    module AccountSlot
      FORMER = "Q<#{Layout::SUMS.size + Layout::FORMER_HISTOGRAMS}"
      KIND = Layout::KINDS.key(:account)
      private_constant :FORMER, :KIND

      # @return [Integer] names that the slot had before; 0 for any other kind
      def self.generation(bytes)
        (bytes.unpack1("L<") == KIND) ? bytes.unpack1("Q<", offset: Layout::GENERATION_OFFSET) : 0
      end

      # @return [Array<Integer>] what earlier names had: sums, then sums of the first histograms
      def self.former_sums(bytes)
        bytes.unpack(FORMER, offset: Layout::FORMER_OFFSET)
      end

      # @return [String] the slot as it was when its present name came, under the name of all ended threads
      def self.former(bytes)
        sums = former_sums(bytes)
        former = bytes.dup.force_encoding(Encoding::BINARY)
        put(former, Layout::SUMS_OFFSET, sums.shift(Layout::SUMS.size))
        sums.each_with_index { |sum, index| put(former, Layout.histogram_offset(index) + 8, [sum]) }
        former[0, 8] = [KIND, Layout::ENDED_THREADS.bytesize].pack("L<2")
        former[Layout::SERIES_TEXTS[:name].first, Layout::ENDED_THREADS.bytesize] = Layout::ENDED_THREADS
        former
      end

      def self.put(bytes, offset, numbers)
        bytes[offset, numbers.size * 8] = numbers.pack("Q<*")
      end
      private_class_method :put
    end

    # One row of the series table as read: sums of its units since the process started. Those of an account
    # contain what earlier names of its slot had (AccountSlot).
    #
    # - `sums`: Array of Integer in the order of Layout::SUMS
    # - `histograms`: Array of HistogramCells in the order of Layout::HISTOGRAMS
    # - `path`: an example from its requests; nil where none is kept
    Slot = Struct.new(:series, :count, :errors, :sums, :histograms, :path) do
      # @param known [#still?, #series, #path, nil] an earlier reading, returned when nothing was added
      # @return [Slot, nil] nil for implausible bytes
      def self.parse(bytes, known = nil)
        numbers = bytes.unpack("Q<#{2 + Layout::SUMS.size}", offset: Layout::COUNT_OFFSET)
        return known if known&.still?(numbers)
        return if numbers.max > Layout::MAX_NUMBER
        series = known&.series || parse_series(bytes)
        histograms = Array.new(Layout::HISTOGRAMS.size) do |index|
          HistogramCells.parse(bytes, Layout.histogram_offset(index))
        end
        return unless series && histograms.all?
        count, errors, *sums = numbers
        new(series, count, errors, sums, histograms, known&.path || parse_path(bytes))
      end

      # @return [Series, nil] nil for implausible bytes
      def self.parse_series(bytes)
        kind, *lengths = bytes.unpack(Layout::SERIES_HEAD)
        places = Layout::SERIES_TEXTS.values.zip(lengths)
        return unless Layout::KINDS.key?(kind) && places.all? { |(_, room), length| length <= room }
        name, *others = places.map { |(offset, _), length| text(bytes, offset, length) }
        queue, pool, priority = others.map { |text| text unless text.empty? }
        Series.new(kind: Layout::KINDS[kind], name:, queue:, pool:, priority:)
      end

      def self.text(bytes, offset, length)
        bytes.byteslice(offset, length).force_encoding(Encoding::UTF_8).scrub("?").tr("\0", "?")
      end

      def self.parse_path(bytes)
        length = bytes.unpack1("Q<", offset: Layout::PATH_OFFSET)
        text(bytes, Layout::PATH_OFFSET + 8, length) if length.between?(1, Layout::PATH_BYTES)
      end
      private_class_method :text

      # Whether these are the numbers of this reading. Every unit raises the count; accounts have none, so
      # they are always read again.
      # @param numbers [Array<Integer>] count, errors, sums
      def still?(numbers)
        numbers[0] == count && numbers[1] == errors && !account? && !series.nil?
      end

      def account? = series&.kind == :account

      # @return [Hash{Symbol => Integer}]
      def named_sums = Layout::SUMS.zip(sums).to_h

      def histogram(name)
        histograms[Layout::HISTOGRAMS.index(name)].to_histogram
      end
    end

    # The sums of one row without its distributions, for a live view that reads every row each second.
    #
    # - `queued`: how many of its units have a known queue time
    # The sums of an account are those of its present name.
    SlotSums = Struct.new(
      :series, :count, :wall_ns, :running_ns, :stalled_ns, :queued, :queued_ns, :caused_ns
    ) do
      # The generation of an account, see AccountSlot.
      # @return [Integer]
      attr_accessor :generation

      # @param known [SlotSums, nil] an earlier reading, returned when nothing was added
      # @return [SlotSums, nil] nil for implausible bytes
      def self.parse(bytes, known = nil)
        count = bytes.unpack1("Q<", offset: Layout::COUNT_OFFSET)
        return known if known&.still?(count)
        numbers = [count, *times(bytes), *queue(bytes), caused(bytes)]
        return if numbers.max > Layout::MAX_NUMBER
        generation = AccountSlot.generation(bytes)
        series = known.series if known&.generation == generation
        series ||= Slot.parse_series(bytes) or return
        numbers = own_numbers(numbers, bytes) or return if generation.positive?
        new(series, *numbers).tap { |sums| sums.generation = generation }
      end

      def self.own_numbers(numbers, bytes)
        former = AccountSlot.former_sums(bytes)
        wall, running, stalled = former.drop(Layout::SUMS.size)
        parts = [0, wall, running, stalled, 0, 0, former[Layout::SUMS.index(:caused_ns)]]
        own = numbers.zip(parts).map { |all, part| all - part }
        own if own.min >= 0
      end

      def self.times(bytes)
        self::TIMES_AT.map { |offset| bytes.unpack1("Q<", offset:) }
      end

      def self.queue(bytes) = bytes.unpack("Q<2", offset: self::QUEUED_AT)

      def self.caused(bytes) = bytes.unpack1("Q<", offset: self::CAUSED_AT)
      private_class_method :own_numbers, :times, :queue, :caused

      # Every unit raises the count; accounts have none, so they are always read again.
      def still?(number) = number == count && series.kind != :account

      # What was added between two readings.
      # @param earlier [SlotSums, nil] nil: everything since the process started
      # @return [SlotSums]
      def since(earlier)
        return self unless earlier && earlier.generation == generation
        self.class.new(series, count - earlier.count, wall_ns - earlier.wall_ns,
          running_ns - earlier.running_ns, stalled_ns - earlier.stalled_ns, queued - earlier.queued,
          queued_ns - earlier.queued_ns, caused_ns - earlier.caused_ns)
      end

      # @param other [SlotSums] of another process
      def +(other)
        self.class.new(series, count + other.count, wall_ns + other.wall_ns, running_ns + other.running_ns,
          stalled_ns + other.stalled_ns, queued + other.queued, queued_ns + other.queued_ns,
          caused_ns + other.caused_ns)
      end
    end

    # Sums of the histograms wall, running and stalled; count and sum of queue times; caused_ns.
    SlotSums::TIMES_AT = %i[wall running stalled].map { |name|
      Layout.histogram_offset(Layout::HISTOGRAMS.index(name)) + 8
    }.freeze
    SlotSums::QUEUED_AT = Layout.histogram_offset(Layout::HISTOGRAMS.index(:queued))
    SlotSums::CAUSED_AT = Layout::SUMS_OFFSET + 8 * Layout::SUMS.index(:caused_ns)
  end
end
