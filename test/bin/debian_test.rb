# frozen_string_literal: true

require "test_helper"
require "open3"

# bin/support/debian.sh on a machine whose apt has never loaded a package list, as in most container images.
class DebianTest < Minitest::Test
  one_ruby

  include TemporaryFolder

  ROOT = File.expand_path("../..", __dir__)

  def setup
    skip "apt is Debian's and Ubuntu's" unless system("command -v apt-config >/dev/null 2>&1")
    super
    FileUtils.mkdir_p(%w[state/lists/partial cache sources.list.d parts].map { |name| "#{folder}/#{name}" })
    File.write("#{folder}/apt.conf", <<~CONF)
      Dir::State "#{folder}/state";
      Dir::Cache "#{folder}/cache";
      Dir::Etc::sourcelist "#{folder}/sources.list";
      Dir::Etc::sourceparts "#{folder}/sources.list.d";
      Dir::Etc::parts "#{folder}/parts";
      Acquire::http::Timeout "2";
      Acquire::Retries "0";
    CONF
  end

  def test_reads_the_archive_from_a_one_line_source
    File.write("#{folder}/sources.list", <<~SOURCES)
      # deb http://commented.test/debian trixie main
      deb https://elsewhere.test/node_20.x nodistro main
      deb [arch=amd64 signed-by=/a/key.gpg] http://mirror.test/debian/ bookworm main
    SOURCES
    assert_equal "http://mirror.test/debian/", archive
  end

  def test_reads_the_archive_from_a_deb822_source
    File.write("#{folder}/sources.list.d/debian.sources", <<~SOURCES)
      Types: deb
      URIs: http://mirror.test/debian-security http://mirror.test/debian
      Suites: bookworm
      Components: main
    SOURCES
    assert_equal "http://mirror.test/debian", archive
  end

  def test_falls_back_to_debians_own_archive
    File.write("#{folder}/sources.list", "deb mirror+file:///etc/apt/mirrors/debian.list bookworm main\n")
    assert_equal "http://deb.debian.org/debian", archive
  end

  def test_a_ruby_that_cannot_be_fetched_ends_with_what_failed_and_what_to_do
    File.write("#{folder}/sources.list", "deb http://127.0.0.1:9/debian bookworm main\n")
    output, status = run_script("bin/support/build_ruby.sh 3.4.5")
    refute status.success?, output
    archive = %r{http://127\.0\.0\.1:9/debian}
    assert_match(
      /Ruby 3\.4\.5 was not built: #{archive} has no source package ruby3\.4 3\.4\.5 in experimental/, output
    )
    assert_match(/Install Ruby 3\.4\.5 with YJIT in another way/, output)
  end

  def test_setup_names_the_step_that_failed
    output, status = run_script("export HOLDUP_CACHE=/proc/nowhere; bin/setup")
    refute status.success?, output
    assert_match(/set-up stopped while preparing its cache folder/, output)
  end

  private

  def archive
    output, status = run_script("source bin/support/env.sh; source bin/support/debian.sh; debian_archive")
    assert status.success?, output
    output.chomp
  end

  def run_script(script)
    environment = {"APT_CONFIG" => "#{folder}/apt.conf", "HOLDUP_CACHE" => "#{folder}/holdup",
                   "HOLDUP_RUBY" => nil}
    Open3.capture2e(environment, "bash", "-c", script, chdir: ROOT)
  end
end
