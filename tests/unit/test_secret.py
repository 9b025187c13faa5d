"""What looks secret is left out of records: by the name of a variable, and by names inside of its value."""

from __future__ import annotations

import pytest

from groma.launch.command import LaunchCommand
from groma.text.secret import LEFT_OUT, is_secret, shown_value, without_secrets

SECRET = (
    *("UCX_PRIVKEY", "UCX_CRED", "OMPI_MCA_oob_pw", "FI_PSM2_UUID", "UCX_AUTH_TOKEN", "FI_OPX_API_KEY", "DB_PASSWORD"),
    *("OMPI_MCA_orte_precondition_transports", "HYDRA_SSH_KEY", "I_MPI_PASSPHRASE", "FI_PSK", "api-key", "CREDENTIALS"),
)
PLAIN = (
    *("UCX_TLS", "UCX_IB_PKEY", "I_MPI_PIN", "OMPI_MCA_opal_common_ucx_opal_mem_hooks", "UCX_RC_FC_CREDITS"),
    *("MPIR_CVAR_PASSIVE_TARGET", "FI_PROVIDER", "I_MPI_HYDRA_BOOTSTRAP", "MPIR_CVAR_CH4_UCX_KEYVALS"),
)


@pytest.mark.parametrize("name", SECRET)
def test_a_name_of_a_secret_is_known(name: str) -> None:
    assert is_secret(name)


@pytest.mark.parametrize("name", PLAIN)
def test_a_name_of_a_setting_is_none(name: str) -> None:
    assert not is_secret(name)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("--password=hunter2 --verbose", f"--password={LEFT_OUT} --verbose"),
        ("-v --password hunter2", f"-v --password {LEFT_OUT}"),
        ("--env=DB_PW=hunter2", f"--env=DB_PW={LEFT_OUT}"),
        ("user=me,password='hunter 2';tls=on", f"user=me,password={LEFT_OUT};tls=on"),
        ("Authorization: hunter2", f"Authorization: {LEFT_OUT}"),
        ("https://me:hunter2@site/a?api-key=hunter2", f"https://{LEFT_OUT}@site/a?api-key={LEFT_OUT}"),
        ("self,sm", "self,sm"),
        ("--bind-to core --map-by slot:PE=2", "--bind-to core --map-by slot:PE=2"),
        ("/opt/key/lib:/usr/lib", "/opt/key/lib:/usr/lib"),
    ],
)
def test_a_secret_inside_of_a_value_is_left_out_and_nothing_else(value: str, shown: str) -> None:
    assert without_secrets(value) == shown
    assert shown_value("I_MPI_EXTRA", value) == shown


def test_no_secret_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("UCX_PRIVKEY", "UCX_CRED", "OMPI_MCA_oob_pw", "FI_PSM2_UUID"):
        monkeypatch.setenv(name, "hunter2")
    monkeypatch.setenv("I_MPI_EXTRA", "--password=hunter2")
    recorded = LaunchCommand(("mpiexec",), {"UCX_TLS": "sm"}).recorded_environment()
    assert "hunter2" not in str(recorded)
    assert recorded["I_MPI_EXTRA"] == f"--password={LEFT_OUT}"
    assert recorded["UCX_TLS"] == "sm"
