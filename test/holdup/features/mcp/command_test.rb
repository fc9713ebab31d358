# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require "mcp"
require "open3"
require "browser/recorded"
require "support/kept_capture"

# The server as an assistant meets it: a process of its own, asked over standard input and output by the gem's
# own client.
class Holdup::Mcp::CommandTest < Minitest::Test
  one_ruby

  include CommandLine

  READS = Holdup::Mcp::Command::McpTools

  class << self
    # One server answers all tests that start none with options of their own.
    # @return [Array(MCP::Client, Recorded)]
    def shared
      @shared ||= recorded_storefront.then { |recorded| [client_of("--store", recorded.store), recorded] }
    end

    # @return [Recorded] with a capture next to the store
    def recorded_storefront
      recorded = Recorded.new
      Minitest.after_run { recorded.remove }
      captures = File.join(File.dirname(recorded.store), "captures")
      FileUtils.mkdir_p(captures)
      FileUtils.cp(KeptCapture::FILE, File.join(captures, "#{KeptCapture::ID}.holdup-capture"))
      recorded
    end

    # @return [MCP::Client] of a server that ends with the tests
    def client_of(*options)
      args = ["-W0", CommandLine::EXE, "mcp", *options]
      env = {"HOME" => "/nonexistent", "LANG" => "C.UTF-8", "TZ" => "UTC"}
      transport = MCP::Client::Stdio.new(command: RbConfig.ruby, args:, env:,
        read_timeout: WaitUntil::PATIENCE_S)
      Minitest.after_run { transport.close }
      MCP::Client.new(transport:).tap(&:connect)
    end
  end

  # @yieldparam client [MCP::Client] of a server for the recorded storefront
  def served(*options)
    client, recorded = self.class.shared
    client = self.class.client_of("--store", recorded.store, *options) if options.any?
    @span = {since: at(recorded.now_s - 7200), until: at(recorded.now_s)}
    yield client, recorded
  end

  def at(second) = Time.at(second).utc.strftime("%FT%TZ")

  # @return [Array(Boolean, String)] whether it failed, and the text
  def call(client, name, **arguments)
    result = client.call_tool(name:, arguments:).fetch("result")
    [result.fetch("isError"), result.fetch("content").map { |part| part.fetch("text") }.join]
  end

  def json(client, name, **arguments)
    failed, text = call(client, name, **arguments)
    refute failed, text
    JSON.parse(text)
  end

  def test_lists_tools_that_only_read
    served do |client, _|
      tools = client.tools
      assert_equal %w[advise blame compare deaths ps report timeline whatif], tools.map(&:name).sort
      tools.each { |tool| assert_equal "object", tool.input_schema.fetch("type"), tool.name }
      assert(tools.all? { |tool| tool.annotations.fetch("readOnlyHint") })
    end
  end

  def test_answers_are_those_of_the_commands
    served do |client, recorded|
      span = ["--since", @span[:since], "--until", @span[:until]]
      printed = holdup_process("report", "--json", "--store", recorded.store, *span)
      assert_equal JSON.parse(printed.out), json(client, "report", **@span)
    end
  end

  def test_blame_is_the_short_part_of_the_report
    served do |client, _|
      blame = json(client, "blame", **@span)
      assert_equal %w[schema from to by uncollected verdict pairs totals series], blame.keys
      caused = blame["series"].map { |row| row["caused_ns"] }
      assert_operator caused.first, :>, 0
      assert_equal caused.sort.reverse, caused
      report = json(client, "report", **@span)
      assert_operator JSON.generate(blame).bytesize * 3 / 2, :<, JSON.generate(report).bytesize
    end
  end

  def test_advice_and_a_comparison
    served do |client, _|
      assert_equal 1, json(client, "advise", **@span)["version"]
      compared = json(client, "compare", by: "revision", **@span)
      assert_equal 1, compared["schema"]
    end
  end

  def test_errors_say_what_to_do_and_the_server_goes_on
    served do |client, _|
      {
        ["report", {since: "soon"}] => /--since can't be "soon"; it takes/,
        ["report", {name: "Nowhere*"}.merge(@span)] => /Nowhere\*/,
        ["whatif", @span] => /whatif needs a change; give one of --threads/,
        ["compare", {by: "colour"}] => /colour/,
        ["timeline", {capture: "/etc/passwd"}] => /no capture is called "\/etc\/passwd"/,
        ["timeline", {unit: "caught"}] => /unit needs a capture/,
        ["report", {frobnicate: 1}] => /frobnicate/
      }.each do |(name, arguments), expected|
        failed, text = call(client, name, **arguments)
        assert failed, text
        assert_match expected, text
        refute_match(/\Aholdup: .*\n.+\n/, text)
      end
      assert_equal 1, json(client, "blame", **@span)["schema"]
    end
  end

  # A value that looks like an option stays a value.
  def test_values_are_no_options
    served do |client, recorded|
      out = File.join(File.dirname(recorded.store), "written")
      failed, text = call(client, "report", name: "--out=#{out}", **@span)
      assert failed, text
      refute_path_exists out
    end
  end

  def test_captures_units_and_their_stories
    served do |client, _|
      kept = json(client, "timeline")
      assert_equal [KeptCapture::ID], kept["captures"].map { |one| one["id"] }
      capture = json(client, "timeline", capture: KeptCapture::ID)
      assert_operator capture["methods"].size, :>, 0
      refute(capture["threads"].first.key?("periods"))
      whole = json(client, "timeline", capture: KeptCapture::ID, periods: true)
      assert_operator whole["threads"].first["periods"].size, :>, 0
      failed, story = call(client, "timeline", capture: KeptCapture::ID, unit: "caught")
      refute failed
      assert_match(/id #{KeptCapture::CAUGHT}/o, story)
    end
  end

  def test_the_vocabulary_is_a_resource
    served do |client, _|
      assert_includes client.resources.map { |one| one["uri"] }, "holdup://vocabulary"
      contents = client.read_resource(uri: "holdup://vocabulary")
      assert_equal File.read(File.expand_path("../../../../docs/vocabulary.md", __dir__)),
        contents.first["text"]
    end
  end

  def test_the_keys_of_each_tool_are_a_resource
    served do |client, _|
      listed = client.resources.map { |one| one["uri"] }
      client.tools.each { |tool| assert_includes listed, "holdup://keys/#{tool.name}" }
      assert_match(/\A## What holdup ps --json prints$.*^\| `processes` \|/m,
        client.read_resource(uri: "holdup://keys/ps").first["text"])
    end
  end

  # An assistant has no clone of the repository.
  def test_what_descriptions_name_is_a_resource
    served do |client, _|
      text = client.tools.map(&:description).join(" ") + Holdup::Mcp::Command::INSTRUCTIONS
      refute_match(%r{docs/}, text)
      assert_empty text.scan(%r{holdup://[\w/]+}) - client.resources.map { |one| one["uri"] }
    end
  end

  def test_the_resources_are_part_of_the_gem
    spec = Gem::Specification.load(File.expand_path("../../../../holdup.gemspec", __dir__))
    Dir.chdir(File.expand_path("../../../..", __dir__)) do
      assert_empty %w[docs/vocabulary.md docs/reference/json.md] - spec.files
    end
  end

  def test_what_runs_now_needs_no_store
    Dir.mktmpdir do |folder|
      SegmentWriter.new(folder)
      console = Holdup::CLI::Console.new(out: nil, err: nil, env: {"HOLDUP_DIR" => folder},
        clock: Holdup::Clock.new)
      tools = READS.new(console, store: "/nonexistent/store.sqlite3", language: "en")
      answer = tools.call(READS.all.find { |tool| tool.name == "ps" }, longer: "1s")
      refute answer.failed, answer.text
      assert_equal [Process.pid], JSON.parse(answer.text)["processes"].map { |process| process["pid"] }
    end
  end

  def test_sentences_in_japanese
    served("--lang", "ja") do |client, _|
      assert_match(/\p{Hiragana}/, json(client, "blame", **@span).dig("verdict", "text"))
    end
  end

  def test_a_store_that_is_missing_is_an_answer_too
    failed, text = call(self.class.client_of("--store", "/nonexistent/store.sqlite3"), "report")
    assert failed
    assert_match(/nonexistent/, text)
  end

  def test_what_is_no_request_does_not_end_it
    recorded = Recorded.new
    lines = "nonsense\n\xFF\n{}\n{\"jsonrpc\": \"2.0\", \"id\": 7, \"method\": \"ping\"}\n"
    out, status = Open3.capture2(RbConfig.ruby, "-W0", EXE, "mcp", "--store", recorded.store,
      stdin_data: lines, err: File::NULL)
    assert_predicate status, :success?
    assert_equal 7, JSON.parse(out.lines.last)["id"]
  ensure
    recorded&.remove
  end

  def test_says_how_to_get_the_gem
    script = "module Kernel; alias_method :original_require, :require; " \
      "def require(name) = name == \"mcp\" ? raise(LoadError.new(\"none\").tap { |e| " \
      "e.define_singleton_method(:path) { \"mcp\" } }) : original_require(name); end"
    Dir.mktmpdir do |folder|
      File.write(File.join(folder, "without_gem.rb"), script)
      _, err, status = Open3.capture3(RbConfig.ruby, "-W0", "-I", folder, "-r", "without_gem", EXE, "mcp")
      assert_equal 1, status.exitstatus
      assert_match(/\Aholdup: holdup mcp needs the gem mcp.*; run `gem install mcp`/, err)
    end
  end

  # Each tool takes only what its command takes.
  def test_every_argument_is_an_option_of_the_command
    READS.all.each do |tool|
      help = holdup(tool.command.first, "--help").out
      names = tool.arguments.keys - %i[capture periods]
      names.each { |name| assert_includes help, "--#{name.to_s.tr("_", "-")}", tool.name }
    end
  end
end
