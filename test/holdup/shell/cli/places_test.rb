# frozen_string_literal: true

require "test_helper"
require "holdup/agent/guard"
require "holdup/agent/runtime/collector_supervisor"
require "holdup/loader"

class Holdup::CLI::PlacesTest < Minitest::Test
  Places = Holdup::CLI::Places

  def test_an_option_is_stronger_than_the_environment
    env = {"HOLDUP_DIR" => "/env/dir", "HOLDUP_STORE" => "/env/store", "HOME" => "/home/u"}
    assert_equal ["/env/dir", "/env/store"], [Places.directory(env), Places.store(env)]
    assert_equal ["/given", "given"], [Places.directory(env, "/given"), Places.store(env, "given")]
  end

  def test_defaults
    assert_equal "sqlite:///home/u/.local/state/holdup/holdup.sqlite3", Places.store({"HOME" => "/home/u"})
    assert_match(%r{/holdup-#{Process.uid}\z}, Places.directory({}))
  end

  def test_language
    assert_equal %w[ja en en ja],
      [{"LANG" => "ja_JP.UTF-8"}, {}, {"LC_ALL" => "C", "LANG" => "ja_JP"},
        {"LC_ALL" => "", "LANG" => "ja"}].map { |env| Places.language(env) }
  end

  def test_rejects_a_wrong_environment
    assert_match(/HOLDUP_DIR/,
      assert_raises(Holdup::ConfigurationError) { Places.directory({"HOLDUP_DIR" => "relative"}) }.message)
  end

  def test_a_path_below_a_home_folder_that_is_not_there
    error = assert_raises(Holdup::UsageError) { Places.directory({}, "~nobody-has-this-name/segments") }
    assert_match(/~nobody-has-this-name.*; give one that begins with \//, error.message)
  end
end

# Commands of a user without an entry and without HOME, as containers have them.
class HomelessUserTest < Minitest::Test
  include CommandLine
  include AsNobody

  # Of those that read the default store or write to it.
  COMMANDS = [%w[collect --once], %w[report], %w[report --fresh], %w[capture], %w[timeline], %w[advise],
    %w[scale], %w[fleet], %w[web], %w[store status], ["compare", "--by=revision"]].freeze

  def setup
    skip "only root can become another user" unless Process.uid.zero?
    @dir = Dir.mktmpdir
    File.chmod(0o777, @dir)
    with_store { |path| holdup("report", "--store=#{path}") } # loads what it needs while it can be read
  end

  def teardown
    FileUtils.remove_entry(@dir) if @dir
  end

  def homeless(*arguments, **env)
    env = {"HOME" => "", "HOLDUP_DIR" => File.join(@dir, "segments")}.merge(env.transform_keys(&:to_s))
    said = as_unknown_user { holdup(*arguments, env:).to_h }
    CommandLine::Said.new(**said)
  end

  def readable_by_others?
    as_unknown_user { File.readable?(Holdup::Store::Sql::Connection::Schema::FOLDER) }
  end

  def test_every_command_says_what_to_set_and_fails
    COMMANDS.each do |command|
      said = homeless(*command)
      assert_equal 1, said.status, command.inspect
      assert_match(/\Aholdup: the store .*this user has no home folder.*; set HOLDUP_STORE .*\n\z/, said.err,
        command.inspect)
    end
  end

  def test_the_doctor_fails
    said = homeless("doctor", "--lang=en")
    assert_equal 1, said.status
    assert_match(/^1 failed/, said.out)
    assert_match(/FAIL {2}The store .* can't be kept, because\s+this\s+user has no home folder/, said.out)
    assert_match(/Set HOLDUP_STORE to a path/, said.out.gsub(/\s+/, " "))
  end

  def test_a_store_that_is_named_is_enough
    skip "a new store needs files of this checkout, which is private" unless readable_by_others?
    path = File.join(@dir, "store.sqlite3")
    assert_equal [0, ""], homeless("collect", "--once", HOLDUP_STORE: path).to_h.values_at(:status, :err)
    assert_path_exists path
    assert_equal 0, homeless("report", HOLDUP_STORE: path).status
    assert_equal [0, ""], homeless("collect", "--once", HOLDUP_STORE: "memory:").to_h.values_at(:status, :err)
  end

  def test_captures_need_a_folder_only_beside_a_server
    said = homeless("timeline", HOLDUP_STORE: "memory:")
    assert_equal [2, "holdup: captures have no folder, because this user has no home folder; " \
      "set XDG_STATE_HOME to a folder\n"], [said.status, said.err]
    assert_equal 0, homeless("timeline", HOLDUP_STORE: File.join(@dir, "store.sqlite3")).status
    assert_equal 0, homeless("timeline", HOLDUP_STORE: "memory:", XDG_STATE_HOME: @dir).status
  end

  # It is started again after ten minutes, and says nothing then.
  def test_a_collector_beside_a_server_says_it_once
    command = ["collect", "--parent=#{Process.pid}"]
    assert_match(/\Aholdup: the store .* no home folder.*\n\z/, homeless(*command).err)
    said = homeless(*command, "--again")
    assert_equal [3, ""], [said.status, said.err]
  end

  def test_measuring_goes_on_where_a_collector_in_a_thread_has_no_store
    log = CollectedLog.new
    in_thread = Holdup::Runtime::Collectors::InThread
    lines = as_unknown_user do
      guard = Holdup::Guard.new(log:, clock: Holdup::Clock.new)
      settings = Holdup::Configuration.build { |draft| draft.dir = File.join(@dir, "segments") }
      guard.call(:collector) { in_thread.new(settings, {}, log).start }
      log.lines
    end
    assert_match(/collector failed, the application is not affected: .* no home folder/, lines.join)
  end
end
