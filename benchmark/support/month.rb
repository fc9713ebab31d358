# frozen_string_literal: true

require "holdup/loader"

module Bench
  # A store as a host has it after thirty days: the tiers that are left of each time, a hundred endpoints,
  # four settings one after the other (a deployment a week), sixteen processes sampled each minute of two
  # days.
  class Month
    NS = 1_000_000_000
    DAY_S = 86_400
    # Late in a day, so that a month has most to read: hours and minutes at its ends.
    NOW_S = 20_700 * DAY_S + 17 * 3600 + 35 * 60
    SINCE_S = {60 => 3600, 300 => 2 * DAY_S, 3600 => 31 * DAY_S, DAY_S => 31 * DAY_S}.freeze
    PROCESSES = 16
    HOST = "web-1"

    # @param path [String]
    # @param series [Integer]
    # @param settings [Integer]
    # @param days [Integer]
    def initialize(path, series: 100, settings: 4, days: 30)
      @dialect = Holdup::Store::Sql::Sqlite.new(path)
      @series = Array.new(series) { |index|
        Holdup::Series.new(
          kind: :request,
          name: "Controller#{index}#action"
        )
      }
      @settings = Array.new(settings) { |index|
        Holdup::Setting.new(attributes: {
          "ruby" => "3.4.5",
          "engine" => "ruby",
          "server" => "puma",
          "threads" => 3 + index,
          "vcpus" => 4
        })
      }
      @days = days
      @random = Random.new(1)
    end

    # @return [self]
    def fill
      connection = Holdup::Store::Sql::Connection.new(@dialect)
      codec = Holdup::Store::Sql::WindowCodec.new(connection)
      columns = Holdup::Store::Sql::WindowCodec::COLUMNS
      connection.write do |db|
        rows(codec) { |some| db[:windows].import(columns, some, slice: 50) }
      end
      skipped = Holdup::Store::Sql::SmallTables::SkippedRows.new(connection)
      tiers(Holdup::Store::Sql::WindowRows.new(connection, codec, skipped))
      connection.close
      sample
      self
    end

    private

    # One row of each series and setting, written again for each span: what a reader pays is reading.
    def rows(codec)
      drawn = @settings.map { |setting|
        with_processes(@series.map { |series| window(series, setting) }).map { |window| codec.row(window) }
      }
      SINCE_S.each do |seconds, since_s|
        from_s = NOW_S - [since_s, @days * DAY_S].min
        (from_s / seconds * seconds...NOW_S / seconds * seconds).step(seconds) do |start_s|
          yield drawn[in_force(start_s)].map { |row| [seconds, start_s, *row.drop(2)] }
        end
      end
    end

    # The same units once more by process, as the collector writes them: each endpoint is one process's.
    def with_processes(windows)
      windows + windows.each_with_index.group_by { |_, index| index % PROCESSES }.map do |process, own|
        series = Holdup::Series.new(kind: :process, name: "worker #{process}")
        Holdup::Window.sum(own.map { |window, _| window.with(series:) })
      end
    end

    # The last one is there since a quarter of the time.
    def in_force(second)
      ((second - NOW_S + @days * DAY_S) * @settings.size / (@days * DAY_S)).clamp(0, @settings.size - 1)
    end

    def tiers(rows)
      rows.tiers.each { |tier|
        rows.save_tier(tier.with(rolled_to_s: NOW_S / tier.seconds * tier.seconds,
          kept_from_s: NOW_S - [SINCE_S.fetch(tier.seconds), @days * DAY_S].min))
      }
    end

    def window(series, setting)
      wall = Holdup::Histogram.of(Array.new(300) { (20_000_000 * Math.exp(@random.rand(-2.0..2.0))).round })
      part = ->(share) { wall.with(sum: (wall.sum * share).round) }
      empty = Holdup::Window.empty(series:, setting:, host: HOST, start_s: 0, seconds: 60)
      empty.with(
        count: 300,
        histograms: {
          wall:,
          running: part[0.3],
          stalled: part[0.2],
          idle: part[0.5],
          queued: part[0.05],
          longest_hold: part[0.1]
        },
        sums: empty.sums.merge(
          cpu_ns: (wall.sum * 0.3).round,
          io_ns: (wall.sum * 0.5).round,
          caused_ns: (wall.sum * 0.2).round,
          acquisitions: 3000
        )
      )
    end

    def sample
      store = Holdup::Store.open(@dialect.location)
      (NOW_S - [2, @days].min * DAY_S...NOW_S).step(3600) { |hour_s|
        store.commit([], {}, processes: (hour_s...hour_s + 3600).step(60).flat_map { |at_s| samples(at_s) })
      }
      store.close
    end

    def samples(at_s)
      Array.new(PROCESSES) do |index|
        {
          at_s:,
          host: HOST,
          pid: 100 + index,
          start: 1,
          since_s: NOW_S - 3 * DAY_S,
          name: "worker #{index}",
          server: "puma",
          setting: @settings.last.fingerprint,
          cpu_ns: (at_s - NOW_S + 3 * DAY_S) * NS / 3,
          run_delay_ns: 0,
          rss_bytes: 300_000_000,
          pss_bytes: 200_000_000,
          uss_bytes: 150_000_000,
          "pool.0": "web",
          "pool.0.max": 5,
          "pool.0.busy": 2,
          "pool.0.backlog": 0
        }
      end
    end
  end
end
