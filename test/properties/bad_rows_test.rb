# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "sqlite3"

class Holdup::Collector
  # Damage is planted at random in the segments and in the store. What is damaged is named; all other requests
  # and jobs are counted once.
  class BadRowsTest < Minitest::Test
    include TemporaryFolder

    L = Holdup::Segment::Layout
    NS = 1_000_000_000
    SEEDS = 8
    ROUNDS = 12
    NAMES = ["Plain#index", "日本語", "🍣🍺", "invalid \xFF\xFE", "é" * 100, "a\0b",
      "cut #{"あ" * 70}".b.byteslice(0, 200), "' OR 1=1", ""].freeze
    VICTIM = "Victim#damaged"
    REFUSED = "Refused#by_the_database"

    def test_in_memory
      SEEDS.times { |seed| check(seed, Holdup::Store.open("memory:")) }
    end

    one_ruby def test_in_sqlite
      SEEDS.times do |seed|
        @path = File.join(folder, "#{seed}.sqlite3")
        check(seed, Holdup::Store.open(@path))
      end
    end

    private

    def check(seed, store)
      @random = Random.new(seed)
      @store = store
      @expected = Hash.new(0)
      @planted = 0
      @now_ns = (3_000_000 + seed) * 600 * NS
      @dir = Dir.mktmpdir("segments", folder)
      @log = CollectedLog.new
      start_over
      refuse_a_name if @path
      @writers = Array.new(3) { |index| writer(index) }
      ROUNDS.times { step }
      assert_equal @expected, carried, "seed #{seed}"
      assert_operator @store.skipped_rows.sum(&:count), :>, 0, "seed #{seed}" if @planted.positive?
      assert_match(/can't be carried and is left out/, @log.lines.join) if @planted.positive?
    ensure
      @store.close
    end

    def start_over
      clock = HandClock.new
      warnings = RateLimitedLog.new(log: @log, clock:)
      @round = Round.new(store: @store, directory: Holdup::Segment::Directory.new(@dir), host: "h",
        warnings:, sampler: sampler)
    end

    # Some process samples fail.
    def sampler
      facts = ->(_pid) { (@random.rand(5) == 0) ? raise(ArgumentError, "no such figure") : {rss_bytes: 1} }
      ProcessSampler.new(facts:, container: ->(_) { {} }, own: -> { {} }, spread: ->(_) { 0 })
    end

    def writer(index)
      SegmentWriter.new(@dir, worker: index, suffix: "-#{index + 1}", now_ns: @now_ns,
        ring: 32).tap do |writer|
        writer.setting = %({"app":"店舗 #{index}"})
        writer.profile = {"server" => "プーマ", "jit.at" => "boot"}
        writer.record(VICTIM, start_ns: @now_ns, wall: 5_000)
        writer.record(REFUSED, start_ns: @now_ns, wall: 5_000)
      end
    end

    def refuse_a_name
      @store.commit([], {"made" => "x"})
      SQLite3::Database.new(@path) do |db|
        db.execute("CREATE TRIGGER refuse BEFORE INSERT ON series WHEN NEW.name = '#{REFUSED}' " \
          "BEGIN SELECT RAISE(ABORT, 'refused'); END")
      end
    end

    def step
      record
      send(%i[damage_a_slot damage_the_ring damage_a_profile damage_the_handoff foreign_file
        nothing].sample(random: @random))
      round
      damage_the_store if @path
      start_over if @random.rand(4).zero?
    end

    def record
      @random.rand(0..20).times do
        name = NAMES.sample(random: @random)
        kind = %i[request job].sample(random: @random)
        wall = @random.rand(1..1_000_000)
        @writers.sample(random: @random).record(name, kind:, wall:, queue: (kind == :job) ? "優先" : nil,
          start_ns: @now_ns - @random.rand(NS))
        @expected[[kind, text(name), :count]] += 1
        @expected[[kind, text(name), :wall]] += wall
      end
    end

    def text(name)
      name.dup.force_encoding(Encoding::UTF_8).scrub("?").tr("\0", "?")
    end

    # Another round counts nothing again.
    def round
      2.times do
        @now_ns += 61 * NS
        @round.run(@now_ns)
      end
      @store.rollup(@now_ns / NS)
    end

    def nothing = nil

    def damage_a_slot
      @planted += 1
      at = @writers.sample(random: @random).then { |writer| [writer, writer.slot_offset(0)] }
      place, value = [[0, 99], [L::COUNT_OFFSET, 0], [L::SUMS_OFFSET, 1 << 63],
        [L.histogram_offset(0) + 40, 600], [L.histogram_offset(1), 1 << 40]].sample(random: @random)
      at.first.put_word(at.last + place, value)
    end

    def damage_the_ring
      writer = @writers.sample(random: @random)
      place = L::RING_OFFSET + @random.rand(32) * L::RING_ENTRY_BYTES
      14.times { |word| writer.put_word(place + word * 8, @random.rand(1 << 64)) if @random.rand(2).zero? }
    end

    def damage_a_profile
      writer = @writers.sample(random: @random)
      writer.put_word(L::PROFILE_OFFSET + 8, @random.rand(1 << 64))
    end

    def damage_the_handoff
      @writers.sample(random: @random).counter(:handoff_ns, 1 << 63)
    end

    def foreign_file
      @planted += 1
      File.binwrite(File.join(@dir, "#{@random.rand(1..1 << 20)}-1.segment"), @random.bytes(9_000))
    end

    # The round that finds it comes before anything new, so that the loss of a checkpoint loses nothing.
    def damage_the_store
      SQLite3::Database.new(@path) do |db|
        case @random.rand(4)
        when 0
          db.execute("UPDATE windows SET wall = x'01ff' " \
            "WHERE series_id IN (SELECT id FROM series WHERE name = '#{VICTIM}')")
        when 1
          db.execute("UPDATE unit_samples SET packed = x'01ff00'")
        when 2
          state = %w[ff 01 0103 018080808001].sample(random: @random)
          db.execute("UPDATE checkpoints SET checkpoint = x'#{state}' WHERE segment NOT LIKE '%#units'")
        when 3
          db.execute("UPDATE process_samples SET facts = '{' WHERE pid > 0")
        end
      end
      start_over
      round
    end

    def carried
      found = Hash.new(0)
      @store.windows(0, @now_ns / NS + 600, only: Wanted).each do |window|
        found[[window.series.kind, window.series.name, :count]] += window.count
        found[[window.series.kind, window.series.name, :wall]] += window.histograms[:wall].sum
      end
      found
    end

    # All but those that were damaged.
    module Wanted
      def self.series?(series)
        series.unit? && ![VICTIM, REFUSED].include?(series.name)
      end
    end
  end
end
