# frozen_string_literal: true

require "test_helper"

# A real Puma in a process of its own; what it recorded is read from its segment.
class RackIntegrationTest < Minitest::Test
  def serve(**env, &)
    env = env.transform_keys(&:to_s)
    ServedApp.serve(*ServedApp::BUNDLED, "puma", "-C", "puma.rb", app: "plain", env:, &)
  end

  def test_every_kind_of_answer_is_one_unit
    serve(HOLDUP_EXAMPLE_PATHS: "on") do |app|
      %w[/ /stream /boom /broken /named /callable].each { |path| app.get(path) }
      assert_match(/hijacked/, app.raw("GET /hijack HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"))
      app.stop
      expected = ["GET /", "GET /stream", "GET /boom", "GET /broken", "A name of its own", "GET /callable",
        "GET /hijack"]
      assert_equal expected.to_h { |name| [name, 1] }, app.counts
      assert_equal %w[/boom /broken].map { |path| "GET #{path}" },
        app.units.select { |slot| slot.errors > 0 }.map { |slot| slot.series.name }
      assert_equal ["/", "/stream", nil, "/named"],
        ["GET /", "GET /stream", "GET /boom", "A name of its own"].map { |name| app.unit(name).path }
      assert_operator app.unit("GET /stream").histogram(:wall).sum, :>=, 60_000_000
      assert_operator app.unit("GET /callable").histogram(:wall).sum, :>=, 20_000_000
      assert_equal 1, app.log.scan("RuntimeError: boom").size, app.log
    end
  end

  def test_queue_times_skew_and_hostile_headers
    serve do |app|
      from = Time.now
      app.get("/queued", "X-Request-Start" => "t=#{from.to_f - 0.5}")
      taken_ns = (Time.now - from) * 1e9
      app.get("/queued", "X-Request-Start" => "t=#{Time.now.to_f + 100}")
      app.get("/queued", "X-Request-Start" => "t=#{"9" * 50_000}")
      app.raw("GET /queued HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-request-start: \xff\xfe\r\n\r\n")
      app.stop
      queued = app.unit("GET /queued").histogram(:queued)
      assert_equal 2, queued.count
      assert_includes 499_000_000..500_000_000 + taken_ns, queued.max # the header has microseconds at best
      assert_equal 1, app.snapshots.first.counters[:queued_clamped]
    end
  end

  # Its method and the first part of its path, if no framework names it better.
  def test_keeps_nothing_of_a_request_but_its_name
    serve do |app|
      app.get("/orders/QQ-id?token=QQ-query", "Authorization" => "QQ-header", "Cookie" => "session=QQ-cookie")
      app.stop
      assert_equal({"GET /orders" => 1}, app.counts)
      files = Dir["#{app.dir}/*"].select { |file| File.file?(file) }
      refute_empty files
      assert_empty files.select { |file| File.binread(file).include?("QQ-") }
    end
  end

  def test_wall_is_its_parts
    serve do |app|
      threads = 6.times.map { Thread.new { app.get("/busy") } }
      threads.each(&:join)
      app.stop
      slot = app.unit("GET /busy")
      assert_equal [6, nil], [slot.count, slot.path]
      assert_equal slot.histogram(:wall).sum, %i[running stalled idle].sum { |part| slot.histogram(part).sum }
      assert_operator slot.histogram(:stalled).sum, :>, 20_000_000
    end
  end

  def test_a_child_of_a_serving_process_measures_for_itself
    serve do |app|
      app.get("/fork")
      app.stop
      assert_equal({"GET /fork" => 1}, app.counts)
      assert_equal([1],
        app.snapshots.filter_map { |snapshot| snapshot.slot("in the child", kind: :job)&.count })
    end
  end

  def test_off_leaves_no_trace
    serve(HOLDUP_ENABLED: "0") do |app|
      assert_equal "ok", app.get("/").body
      refute_path_exists app.dir
    end
  end

  def test_warns_of_a_wrong_variable_and_the_application_runs
    serve(HOLDUP_SERIES_LIMIT: "many") do |app|
      assert_equal "ok", app.get("/").body
      assert_match(/holdup: not measuring: HOLDUP_SERIES_LIMIT can't be "many"; give a whole number/, app.log)
    end
  end

  def test_warns_of_an_unusable_folder_and_the_application_runs
    serve(HOLDUP_DIR: "/proc/holdup") do |app|
      assert_equal "ok", app.get("/").body
      assert_match(/holdup: start failed, the application is not affected/, app.log)
    end
  end
end
