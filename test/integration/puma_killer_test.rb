# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# puma_worker_killer itself, in a cluster: what we count has to be what it counts.
class PumaKillerTest < Minitest::Test
  MIB = 1 << 20
  ENOUGH_MIB = 4096

  def serve(ram)
    Dir.mktmpdir do |folder|
      @counted = File.join(folder, "counted")
      @reap = File.join(folder, "reap")
      ServedApp.serve(*%w[bundle exec puma -C puma.rb], app: "killed",
        env: {"RAM" => ram.to_s, "COUNTED" => @counted, "REAP" => @reap, "HOLDUP_JIT" => "on"}) do |app|
        app.wait { app.live_workers == [0, 1] }
        yield app
      end
    end
  end

  # @return [Holdup::Analysis::JitReport::ServerJit] as a collector sees it now
  def server(app)
    collect(app)
    store = Holdup::Store.open(app.store)
    now_s = Time.now.to_i
    settings = store.windows(now_s - 600, now_s + 120).to_h { |window|
      [window.setting.fingerprint, window.setting]
    }
    Holdup::Analysis::JitReport.new(store.processes(now_s - 600, now_s + 120), settings:).servers.first
  ensure
    store&.close
  end

  def collect(app)
    environment = {"HOLDUP_DIR" => app.dir, "HOLDUP_STORE" => app.store, "RUBYOPT" => nil}
    system(environment, RbConfig.ruby, CommandLine::EXE, "collect", "--once", exception: true)
  end

  # @return [Array<Holdup::Autopsy>]
  def deaths(app)
    store = Holdup::Store.open(app.store)
    store.deaths(0, 1 << 40)
  ensure
    store&.close
  end

  def counted_bytes(app)
    app.wait { File.read(@counted).to_f.then { |mib| mib * MIB if mib.positive? } if File.exist?(@counted) }
  end

  def test_counts_what_the_killer_counts
    serve(ENOUGH_MIB) do |app|
      found = server(app)
      assert_equal "puma_worker_killer", found.killer.name
      assert_equal (ENOUGH_MIB * 0.99 * MIB).round, found.killer.limit_bytes
      assert_in_delta counted_bytes(app), found.watched_bytes, counted_bytes(app) * 0.05
      assert_predicate found.watched.largest, :master_known
    end
  end

  def test_a_worker_that_the_killer_ends_is_a_death
    serve(ENOUGH_MIB) do |app|
      before = app.live.map(&:pid)
      File.write(@reap, "")
      ended = app.wait { (before - app.live.map(&:pid)).first }
      collect(app)
      assert_equal [[ended, :killer]], deaths(app).map { |death| [death.pid, death.reason] }
    end
  end

  def test_the_limit_that_is_named_is_above_what_the_killer_counts
    serve(ENOUGH_MIB) do |app|
      found = server(app)
      ram = found.killer.line(found.needed_bytes)[/\Aram = (\d+)\z/, 1]
      assert_operator Integer(ram) * 0.99 * MIB, :>, counted_bytes(app)
    end
  end
end
